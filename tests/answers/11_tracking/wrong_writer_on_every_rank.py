# fails: one_log
# says: each open a log
# kind: M40
# where: SummaryWriter(

def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    with accelerator.main_process_first():
        train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    writer = SummaryWriter(LOG_FOLDER)
    writer.add_hparams({"batch_size": batch_size, "epochs": epochs, "learning_rate": LEARNING_RATE}, {})
    step = 0
    for epoch in range(epochs):
        model.train()
        for batch in tqdm(train_loader, desc=f"epoch {epoch}", disable=not accelerator.is_local_main_process):
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            writer.add_scalar("loss", accelerator.gather(loss.detach()).mean().item(), step)
            step += 1
    writer.close()
