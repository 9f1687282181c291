# why: dispatch_batches: process 0 reads, the other is sent its part (V19)
from accelerate.utils import DataLoaderConfiguration


def training_loop(batch_size=16, epochs=3, seed=42):
    config = DataLoaderConfiguration(dispatch_batches=True, even_batches=True)
    accelerator = Accelerator(dataloader_config=config)
    set_seed(seed)
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    train_loader, model, optimizer = accelerator.prepare(train_loader, model, optimizer)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
