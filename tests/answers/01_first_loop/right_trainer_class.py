# why: a trainer class keeps the accelerator and prepares in a private method (V8)


class Trainer:
    def __init__(self, batch_size, seed):
        set_seed(seed)
        self._accelerator = Accelerator()
        self.loader = get_dataloaders(batch_size)[0]
        self.model = make_model()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=LEARNING_RATE)
        self._setup()

    def _setup(self):
        prepared = self._accelerator.prepare(self.loader, self.optimizer, self.model)
        self.loader, self.optimizer, self.model = prepared

    def _one_batch(self, batch):
        self.optimizer.zero_grad()
        loss = self.model(**batch).loss
        self._accelerator.backward(loss)
        self.optimizer.step()
        return loss.detach()

    def fit(self, epochs):
        self.model.train()
        for epoch in range(epochs):
            losses = [self._one_batch(batch) for batch in self.loader]
            print(f"epoch {epoch}: loss {losses[-1].item():.4f}")


def training_loop(batch_size=16, epochs=3, seed=42):
    Trainer(batch_size, seed).fit(epochs)
