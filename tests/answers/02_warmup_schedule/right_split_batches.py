# why: split_batches, the loader's batches are those of all processes together; its length is the same on both sides (V19)


from accelerate.utils import DataLoaderConfiguration


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(dataloader_config=DataLoaderConfiguration(split_batches=True))
    train_loader, eval_loader = get_dataloaders(batch_size * accelerator.num_processes)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    scheduler = accelerator.prepare(
        OneCycleLR(optimizer.optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    )
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
