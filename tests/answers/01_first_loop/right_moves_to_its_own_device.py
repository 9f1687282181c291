# why: device_placement=False, so the loop itself moves things to accelerator.device (V17)
import accelerate as acc


def training_loop(batch_size=16, epochs=3, seed=42):
    acc.utils.set_seed(seed)
    accelerator = acc.Accelerator(device_placement=False)
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model().to(accelerator.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    weight = torch.tensor([1.0, 1.0], device="cpu").to(accelerator.device)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            batch = {name: column.to(accelerator.device, non_blocking=True) for name, column in batch.items()}
            optimizer.zero_grad()
            logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
            loss = torch.nn.functional.cross_entropy(logits, batch["labels"], weight=weight)
            accelerator.backward(loss)
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
