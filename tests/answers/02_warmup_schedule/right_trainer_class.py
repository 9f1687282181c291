# why: a small Trainer, everything on self and the Accelerator in a private method (V8)


class Trainer:
    def __init__(self, batch_size, epochs):
        self.epochs = epochs
        self.train_loader, self.eval_loader = get_dataloaders(batch_size)
        self.model = make_model()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=MAX_LR / 25)
        self.scheduler = OneCycleLR(
            self.optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(self.train_loader)
        )
        self._spread()

    def _spread(self):
        self.accelerator = Accelerator()
        names = ("model", "optimizer", "train_loader", "eval_loader", "scheduler")
        ready = self.accelerator.prepare(*(getattr(self, name) for name in names))
        for name, thing in zip(names, ready):
            setattr(self, name, thing)

    def _step(self, batch):
        self.optimizer.zero_grad()
        loss = cross_entropy(self.model(batch["image"]), batch["label"])
        self.accelerator.backward(loss)
        self.optimizer.step()
        self.scheduler.step()
        return loss.detach()

    def run(self):
        for epoch in range(self.epochs):
            self.model.train()
            losses = [self._step(batch) for batch in self.train_loader]
            self.accelerator.print(f"epoch {epoch}: {torch.stack(losses).mean():.4f}")


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    Trainer(batch_size, epochs).run()
