# fails: learning_rates
# says: read twice
# where: for batch in train_loader:
# kind: M22 a sampler that draws from each process's own numpy


import numpy as np
from torch.utils.data import DataLoader, Sampler


class Shuffled(Sampler):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(np.random.permutation(len(self.rows)).tolist())


def training_loop(batch_size=16, epochs=3, seed=42):
    accelerator = Accelerator()
    set_seed(seed, device_specific=True)
    train_loader, eval_loader = get_dataloaders(batch_size)
    train_loader = DataLoader(train_loader.dataset, batch_size, sampler=Shuffled(train_loader.dataset))
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}, learning rate {scheduler.get_last_lr()[0]:.1e}")
