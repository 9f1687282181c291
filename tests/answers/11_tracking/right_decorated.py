# why: helpers that run on the main process only, by Accelerate's decorators; a second curve beside the loss


def first(accelerator, batch_size):
    with accelerator.main_process_first():
        return get_dataloaders(batch_size)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(log_with="tensorboard", project_dir=LOG_FOLDER)
    train_loader, eval_loader = first(accelerator, batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    config = {"size": batch_size, "passes": epochs, "rate": LEARNING_RATE, "seed": seed, "model": "PetNet"}
    accelerator.init_trackers("decorated", config=config)

    @accelerator.on_main_process
    def write(values, step):
        accelerator.get_tracker("tensorboard").log(values, step=step)

    step = 0
    for epoch in range(epochs):
        model.train()
        for batch in tqdm(train_loader, desc=f"epoch {epoch}", disable=not accelerator.is_local_main_process):
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            every = accelerator.gather(loss.detach())
            write({"loss": every.mean().item(), "spread": (every.max() - every.min()).item()}, step)
            step += 1
    accelerator.end_training()
