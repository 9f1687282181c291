# why: aliases, a partial for the schedule and a starred result (V3, V4)


from functools import partial


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    a = Accelerator()
    prep, bwd = a.prepare, a.backward
    loaders = get_dataloaders(batch_size)
    schedule = partial(OneCycleLR, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(loaders[0]))
    net = make_model()
    opt = torch.optim.Adam(net.parameters(), lr=MAX_LR / 25)
    net, opt, sched, *loaders = prep(net, opt, schedule(opt), *loaders)
    for epoch in range(epochs):
        net.train()
        for batch in loaders[0]:
            opt.zero_grad()
            bwd(cross_entropy(net(batch["image"]), batch["label"]))
            opt.step()
            sched.step()
