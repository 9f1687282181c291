# why: a class with a method for each part

class Fit:
    def __init__(self, batch_size):
        self.accelerator = Accelerator(mixed_precision=PRECISION)
        loader, _ = get_dataloaders(batch_size)
        head = make_model()
        self.backbone = make_backbone().to(self.accelerator.device)
        self.head = self.accelerator.prepare(head)
        self.optimizer = self.accelerator.prepare(torch.optim.SGD(head.parameters(), lr=LEARNING_RATE))
        self.loader = self.accelerator.prepare(loader)

    @torch.no_grad()
    def features(self, images):
        with self.accelerator.autocast():
            return self.backbone(images)

    def learn(self, batch):
        self.optimizer.zero_grad()
        loss = pet_loss(self.head(self.features(batch["image"])), batch["label"])
        self.accelerator.backward(loss)
        self.accelerator.clip_grad_norm_(self.head.parameters(), MAX_NORM)
        self.optimizer.step()
        return loss.item()


def training_loop(batch_size=16, epochs=2, seed=42):
    set_seed(seed)
    fit = Fit(batch_size)
    for epoch in range(epochs):
        loss = [fit.learn(batch) for batch in fit.loader][-1]
        fit.accelerator.print(f"epoch {epoch}: loss {loss:.4f}")
