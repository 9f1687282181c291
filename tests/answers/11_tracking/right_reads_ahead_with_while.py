# why: a while loop, next() and a bar that is updated by hand

def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(log_with="tensorboard", project_dir=LOG_FOLDER)
    with accelerator.main_process_first():
        train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    config = {"batch_size": batch_size, "epochs": epochs, "learning_rate": LEARNING_RATE}
    accelerator.init_trackers("two_processes", config)
    step, bar = 0, None
    for epoch in range(epochs):
        model.train()
        batches = iter(train_loader)
        if accelerator.is_local_main_process:
            bar = tqdm(total=len(train_loader))
        while (batch := next(batches, None)) is not None:
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            accelerator.log({"loss": float(accelerator.gather(loss).mean())}, step)
            step = step + 1
            if bar is not None:
                bar.update(1)
        if bar is not None:
            bar.close()
    accelerator.end_training()
