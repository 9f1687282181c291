# why: only the main process prepares before the others come; each epoch's values are logged together at its end

def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(log_with="tensorboard", project_dir=LOG_FOLDER)
    if not accelerator.is_main_process:
        accelerator.wait_for_everyone()
    train_loader, eval_loader = get_dataloaders(batch_size)
    if accelerator.is_main_process:
        accelerator.wait_for_everyone()
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    config = {"batch_size": batch_size, "epochs": epochs, "learning_rate": LEARNING_RATE}
    accelerator.init_trackers("two_processes", config)
    step = 0
    for epoch in range(epochs):
        model.train()
        losses = []
        for batch in tqdm(train_loader, desc=f"epoch {epoch}", disable=not accelerator.is_local_main_process):
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            losses.append(loss.detach())
        means = accelerator.gather(torch.stack(losses)[None]).mean(dim=0)
        for value in means.tolist():
            accelerator.log({"loss": value}, step=step)
            step += 1
    accelerator.end_training()
