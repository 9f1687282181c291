# why: V14 batches counted and divided by hand, no_sync, shares of the evaluation rows as the script has them


def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(mixed_precision="fp16")
    train_loader, eval_loader = get_dataloaders(batch_size)
    rows = eval_loader.dataset
    own_rows = range(accelerator.process_index, len(rows), accelerator.num_processes)
    own_loader = DataLoader(rows, 2 * batch_size, sampler=own_rows)
    network = make_model()
    optimizer = torch.optim.SGD(network.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(network, optimizer, train_loader)

    for epoch in range(epochs):
        model.train()
        for index, batch in enumerate(train_loader, 1):
            due = index % ACCUMULATION == 0 or index == len(train_loader)
            with nullcontext() if due else accelerator.no_sync(model):
                accelerator.backward(model(**batch).loss / ACCUMULATION)
            if due:
                accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()

        model.eval()
        counts = torch.zeros(3, dtype=torch.long, device=accelerator.device)
        for batch in own_loader:
            batch = {name: column.to(accelerator.device) for name, column in batch.items()}
            with torch.no_grad(), accelerator.autocast():
                good = accelerator.unwrap_model(model)(**batch).logits.argmax(dim=-1) == 1
            truly = batch["labels"] == 1
            counts += torch.stack([(good & truly).sum(), good.sum(), truly.sum()])
        hits, said, true = accelerator.reduce(counts, reduction="sum").tolist()
        f1 = 2 * hits / max(said + true, 1)
        if accelerator.is_main_process:
            print(f"epoch {epoch}: F1 {f1:.4f}")

    if accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(model).state_dict(), CHECKPOINT)
    accelerator.wait_for_everyone()
    return f1
