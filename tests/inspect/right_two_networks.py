"""Two networks that take turns, in one accumulate block; a frozen one beside them, on the accelerator's device."""

import accelerate as acc
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as loss_of
from torch.utils.data import DataLoader


class Maker(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 2)

    def forward(self, noise):
        return self.body(noise)


def train(points, epochs):
    acc.utils.set_seed(7)
    helper = acc.Accelerator(gradient_accumulation_steps=2)
    judge = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
    maker = Maker()
    encoder = nn.Linear(2, 2)
    encoder.requires_grad_(False)
    encoder.to(helper.device)
    judging = torch.optim.Adam(judge.parameters(), lr=1e-3)
    making = torch.optim.Adam(maker.parameters(), lr=1e-3)
    loader = DataLoader(points, batch_size=32, shuffle=True)
    judge, maker, judging, making, loader = helper.prepare(judge, maker, judging, making, loader)
    for _ in range(epochs):
        for real in loader:
            with helper.accumulate(judge, maker):
                noise = torch.randn(len(real), 8, device=helper.device)
                made = maker(noise)
                ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
                judged = judge(torch.cat([encoder(real), made.detach()]))
                helper.backward(loss_of(judged, torch.cat([ones, zeros]).to(helper.device)))
                judging.step()
                judging.zero_grad()
                helper.backward(loss_of(judge(made), ones.to(helper.device)))
                making.step()
                making.zero_grad()
    helper.wait_for_everyone()
    helper.save(helper.get_state_dict(maker), "maker.pt")
