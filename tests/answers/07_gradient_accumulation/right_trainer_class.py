# why: V8 V10 a class of one's own with the accelerator in it

class Trainer:
    def __init__(self, batch_size):
        self.accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATION)
        loader, _ = get_dataloaders(batch_size)
        net = make_model()
        opt = torch.optim.SGD(net.parameters(), lr=LEARNING_RATE)
        self.net, self.opt, self.loader = self.accelerator.prepare(net, opt, loader)

    def micro_step(self, batch):
        with self.accelerator.accumulate(self.net):
            self.accelerator.backward(self.net(**batch).loss)
            self.update()

    def update(self):
        if self.accelerator.sync_gradients:
            self.accelerator.clip_grad_norm_(self.net.parameters(), MAX_NORM)
            self.opt.step()
            self.opt.zero_grad()

    def fit(self, epochs):
        for _ in range(epochs):
            self.net.train()
            for batch in self.loader:
                self.micro_step(batch)


def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    Trainer(batch_size).fit(epochs)
