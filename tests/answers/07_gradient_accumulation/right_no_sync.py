# why: V14 by hand, and the processes talk only when a step is due

from contextlib import nullcontext


def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for index, batch in enumerate(train_loader, 1):
            due = index % ACCUMULATION == 0 or index == len(train_loader)
            with nullcontext() if due else accelerator.no_sync(model):
                loss = model(**batch).loss
                accelerator.backward(loss / ACCUMULATION)
            if due:
                accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
