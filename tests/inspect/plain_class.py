"""A plain loop in a class, with its evaluation in a function beside it."""

import torch
from torch import nn
from torch.utils.data import DataLoader


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    right = 0
    for x, y in loader:  # <- local-metric
        right += (model(x.to(device)).argmax(dim=1) == y.to(device)).sum().item()  # <- manual-move
    return right / len(loader.dataset)


class Trainer:
    def __init__(self, train_rows, held_rows):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"  # <- no-accelerator
        self.model = nn.Linear(4, 2).to(self.device)  # <- manual-move, unprepared-model
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)  # <- unprepared-optimizer
        self.loader = DataLoader(train_rows, batch_size=8, shuffle=True)  # <- unprepared-loader
        self.held = DataLoader(held_rows, batch_size=8)  # <- unprepared-loader
        self.loss_of = nn.CrossEntropyLoss()

    def fit(self, epochs):
        for epoch in range(epochs):
            self.model.train()
            for x, y in self.loader:
                x, y = x.to(self.device), y.to(self.device)  # <- manual-move
                loss = self.loss_of(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()  # <- plain-backward
                self.optimizer.step()
            print(epoch, accuracy(self.model, self.held, self.device))  # <- printed-by-every-rank


def main(train_rows, held_rows):
    Trainer(train_rows, held_rows).fit(3)
