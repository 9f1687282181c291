# fails: prepared_once
# says: neither waits for the other
# kind: M14 nothing changed

def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    writer = SummaryWriter(LOG_FOLDER)
    step = 0
    for epoch in range(epochs):
        model.train()
        for batch in tqdm(train_loader):
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            loss.backward()
            optimizer.step()
            writer.add_scalar("loss", loss.item(), step)
            step += 1
    writer.close()
