# why: an evaluation loader that is never filled up (even_batches=False), local counts reduced to their sum
from accelerate.data_loader import prepare_data_loader


class Counts:
    def __init__(self, device):
        self.values = torch.zeros(3, dtype=torch.float64, device=device)

    def add(self, said, true):
        self.values += torch.stack([((said == 1) & (true == 1)).sum(), (said == 1).sum(), (true == 1).sum()])

    def f1(self, accelerator):
        hits, said, true = accelerator.reduce(self.values)
        return (2 * hits / torch.clamp(said + true, min=1)).item()


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    eval_loader = prepare_data_loader(eval_loader, accelerator.device, even_batches=False, put_on_device=True)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            accelerator.backward(model(**batch).loss)
            optimizer.step()
        model.eval()
        counts = Counts(accelerator.device)
        with torch.no_grad():
            for batch in eval_loader:
                counts.add(model(**batch).logits.argmax(dim=-1), batch["labels"])
        f1 = counts.f1(accelerator)
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
