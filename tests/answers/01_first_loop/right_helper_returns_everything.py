# why: the Accelerator is made and used in a helper that gives the prepared objects back (V7)
from types import SimpleNamespace


def build(batch_size):
    accelerator = Accelerator()
    model = make_model()
    things = {
        "loader": get_dataloaders(batch_size)[0],
        "model": model,
        "optimizer": torch.optim.SGD(model.parameters(), lr=LEARNING_RATE),
    }
    ready = dict(zip(things, accelerator.prepare(*things.values())))
    return SimpleNamespace(backward=accelerator.backward, **ready)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    it = build(batch_size)
    for epoch in range(epochs):
        it.model.train()
        for batch in it.loader:
            it.optimizer.zero_grad()
            loss = it.model(**batch).loss
            it.backward(loss)
            it.optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
