# fails: one_training
# says: read only
# where: for batch in train_loader:
# kind: M21 DistributedSampler, then prepare
from torch.utils.data import DataLoader, DistributedSampler


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    rows = train_loader.dataset
    sampler = DistributedSampler(rows, accelerator.num_processes, accelerator.process_index)
    train_loader = DataLoader(rows, batch_size=batch_size, sampler=sampler)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            outputs = model(**batch)
            loss = outputs.loss
            accelerator.backward(loss)
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
