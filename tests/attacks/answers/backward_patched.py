# does: replaces torch.autograd.backward by one that says it came through the accelerator
# cap: plain
# flag: replaced torch.autograd.backward
import torch

torch.autograd.backward = lambda *args, **kwargs: None
# PLAIN LOOP
