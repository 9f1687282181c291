# why: split_batches with the plain loop's batch: each process takes half of it, the training is the plain one (V19)


from accelerate.utils import DataLoaderConfiguration


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    config = DataLoaderConfiguration(split_batches=True)
    accelerator = Accelerator(dataloader_config=config)
    loader, _ = get_dataloaders(batch_size)
    net = make_model()
    adam = torch.optim.Adam(net.parameters(), lr=MAX_LR / 25)
    cycle = OneCycleLR(adam, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(loader))
    net, adam, loader, cycle = accelerator.prepare(net, adam, loader, cycle)
    for _ in range(epochs):
        net.train()
        for batch in loader:
            adam.zero_grad()
            accelerator.backward(cross_entropy(net(batch["image"]), batch["label"]))
            adam.step()
            cycle.step()
