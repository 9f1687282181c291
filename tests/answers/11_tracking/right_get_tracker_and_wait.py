# why: the tracker's own writer under a guard, data prepared behind a barrier, one bar for the whole training, steps from 1

def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(log_with="tensorboard", project_dir=LOG_FOLDER)
    if accelerator.is_main_process:
        get_dataloaders(batch_size)
    accelerator.wait_for_everyone()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    config = {"batch_size": batch_size, "epochs": epochs, "learning_rate": LEARNING_RATE}
    accelerator.init_trackers("two_processes", config)
    step = 0
    bar = tqdm(total=epochs * len(train_loader), disable=not accelerator.is_main_process)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            step += 1
            losses = accelerator.gather(loss.detach())
            if accelerator.is_main_process:
                writer = accelerator.get_tracker("tensorboard", unwrap=True)
                writer.add_scalar("train/loss", losses.mean().item(), step)
            bar.update()
    bar.close()
    accelerator.end_training()
