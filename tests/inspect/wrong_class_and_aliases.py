"""Everything on self, the library under another name, prepare in a private method."""

import accelerate as acc
from torch import nn, optim
from torch.utils.data import DataLoader


class Fitter:
    def __init__(self, rows, epochs):
        self.accelerator = acc.Accelerator(gradient_accumulation_steps=2)
        self.net = nn.Linear(4, 1)
        self.opt = optim.SGD(self.net.parameters(), lr=0.1)
        self.loader = DataLoader(rows, batch_size=8)
        self.epochs = epochs
        self._share()

    def _share(self):
        self.net, self.opt = self.accelerator.prepare(self.net, self.opt)

    def _batch(self, x, y):
        with self.accelerator.accumulate(self.net):
            loss = nn.functional.mse_loss(self.net(x), y) / 2
            self.opt.zero_grad()  # <- zero-grad-first
            self.accelerator.backward(loss)  # <- accumulation-done-twice
            self.accelerator.clip_grad_norm_(self.net.parameters(), 1.0)  # <- clipped-on-every-micro-step
            self.opt.step()
        return loss

    def fit(self):
        for epoch in range(self.epochs):
            for x, y in self.loader:  # <- unprepared-loader
                loss = self._batch(x, y)
            if self.accelerator.is_main_process:
                mean = self.accelerator.gather(loss.detach()).mean()  # <- collective-on-some-ranks
                print(f"epoch {epoch}: {mean.item():.3f}")
                self.accelerator.save_state("state")  # <- saved-on-the-wrong-ranks


def main(rows):
    Fitter(rows, 3).fit()
