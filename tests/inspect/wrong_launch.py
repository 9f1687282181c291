"""A launch from a script, with everything that a launcher trips over."""

import torch
from accelerate import Accelerator, notebook_launcher
from torch import nn

accelerator = Accelerator()  # <- accelerator-outside
warm = torch.ones(3).cuda()  # <- device-before-launch


def train(index, rate):
    model = nn.Linear(4, 1)
    sgd = torch.optim.SGD(model.parameters(), lr=rate)
    net, sgd = accelerator.prepare(sgd, model)  # <- wrong-unpacking
    net.train()


def other(rate):
    helper = Accelerator(gradient_accumulation_steps=4)
    model = helper.prepare(nn.Linear(4, 1))
    frozen = nn.Linear(4, 4)
    frozen.requires_grad_(False)
    frozen = helper.prepare(frozen)  # <- frozen-model-prepared
    print(model.in_features)  # <- attribute-on-wrapper
    again = Accelerator()  # <- second-accelerator
    return again.gather(torch.ones(1, device="cuda"))  # <- hard-coded-device


score = notebook_launcher(train, (0.1,), num_processes=2)  # <- called-with-arguments, launcher-result
notebook_launcher(other, (0.1,))  # <- no-num-processes
