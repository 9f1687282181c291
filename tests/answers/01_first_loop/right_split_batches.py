# why: split_batches: the loader's batches are those of all processes together (V19)
from accelerate.utils import DataLoaderConfiguration


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(dataloader_config=DataLoaderConfiguration(split_batches=True))
    train_loader, _ = get_dataloaders(batch_size * accelerator.num_processes)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
