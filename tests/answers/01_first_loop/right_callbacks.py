# why: a learner whose callback does the preparing and the backward (V9); the loop is a lambda's result (V27)


class AccelerateCallback:
    def before_fit(self, learner):
        self.accelerator = Accelerator()
        for name, it in zip(
            ("model", "opt", "dl"), self.accelerator.prepare(learner.model, learner.opt, learner.dl)
        ):
            setattr(learner, name, it)

    def backward(self, learner):
        self.accelerator.backward(learner.loss)


class Learner:
    def __init__(self, model, opt, dl, callback):
        self.model, self.opt, self.dl, self.callback = model, opt, dl, callback

    def fit(self, epochs):
        self.callback.before_fit(self)
        for self.epoch in range(epochs):
            self.model.train()
            for self.batch in self.dl:
                self.opt.zero_grad()
                self.loss = self.model(**self.batch).loss
                self.callback.backward(self)
                self.opt.step()
            print(f"epoch {self.epoch}: loss {self.loss.item():.4f}")


def _train(batch_size, epochs, seed):
    set_seed(seed)
    model = make_model()
    opt = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    Learner(model, opt, get_dataloaders(batch_size)[0], AccelerateCallback()).fit(epochs)


training_loop = lambda batch_size=16, epochs=3, seed=42: _train(batch_size, epochs, seed)
