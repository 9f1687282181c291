# why: not prepared, the total divided by the number of processes by hand (V21)


import math


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    updates = epochs * math.ceil(len(train_loader) / accelerator.num_processes)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, MAX_LR, total_steps=updates)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    model.train()
    for epoch in range(epochs):
        for batch in train_loader:
            optimizer.zero_grad(set_to_none=True)
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
