# fails: every_step
# says: optimizer steps
# kind: tracking: log in the last epoch only
# where: accelerator.log(

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
    step = 0
    for epoch in range(epochs):
        model.train()
        for batch in tqdm(train_loader, desc=f"epoch {epoch}", disable=not accelerator.is_local_main_process):
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            mean_loss = accelerator.gather(loss).mean()
            if epoch == epochs - 1:
                accelerator.log({"loss": mean_loss}, step=step)
            step += 1
    accelerator.end_training()
