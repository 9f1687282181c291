# why: everything gathered and what fills the last round up cut off; only the main process asks for the state

def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATION, mixed_precision="fp16")
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(
        model, optimizer, train_loader, eval_loader
    )

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()

        model.eval()
        pairs = []
        for batch in eval_loader:
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            pairs.append(accelerator.gather(torch.stack([predictions, batch["labels"]], dim=1)))
        good = torch.cat(pairs)[: len(eval_loader.dataset)] == 1
        hits, (said, true) = good.all(dim=1).sum().item(), good.sum(dim=0).tolist()
        f1 = 2 * hits / max(said + true, 1)
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")

    if accelerator.is_main_process:
        torch.save(accelerator.get_state_dict(model), CHECKPOINT)
    return f1
