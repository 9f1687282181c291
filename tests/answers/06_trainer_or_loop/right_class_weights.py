# why: the weights of the classes go into cross_entropy, which adds up

def class_weights(accelerator, labels):
    counts = accelerator.reduce(torch.bincount(labels, minlength=CLASSES), reduction="sum")
    return torch.where(counts > 0, 1 / counts.clamp(min=1).double(), 0.0) / CLASSES


def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    model = accelerator.prepare(model)
    optimizer = accelerator.prepare(torch.optim.SGD(model.parameters(), lr=LEARNING_RATE))
    train_loader = accelerator.prepare(train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
            weight = class_weights(accelerator, batch["labels"])
            loss = cross_entropy(logits, batch["labels"], weight=weight.to(logits.dtype), reduction="sum")
            accelerator.backward(accelerator.num_processes * loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(epoch, loss.item())
