# why: gather everything, then cut off what fills the last batch by hand (V20)


def training_loop(batch_size=16, epochs=3, seed=42):
    accelerator = Accelerator()
    set_seed(seed)
    train_loader, eval_loader = get_dataloaders(batch_size)
    rows = len(eval_loader.dataset)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    scores = []
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            accelerator.backward(model(**batch).loss)
            optimizer.step()
        model.eval()
        predictions, labels = [], []
        with torch.inference_mode():
            for batch in eval_loader:
                predictions.append(accelerator.gather(model(**batch).logits.argmax(dim=1)))
                labels.append(accelerator.gather(batch["labels"]))
        predictions = torch.cat(predictions)[:rows].bool()
        labels = torch.cat(labels)[:rows].bool()
        hits = (predictions & labels).sum().item()
        scores.append(2 * hits / max(predictions.sum().item() + labels.sum().item(), 1))
        accelerator.print(f"epoch {epoch}: F1 {scores[-1]:.4f}")
    return scores[-1]
