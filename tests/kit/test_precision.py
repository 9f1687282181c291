"""Mixed precision: a scaler on a CPU behaves as a GPU's, and casts keep their bits where they must."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
import torch

# Trains one step under fp16 and says what came of it. On a CPU the Accelerator is given the kit's scaler.
STEP = """
import json, sys, types
import torch
from accelerate import Accelerator

way, device = sys.argv[1:]
if device == "cpu":
    from looplift.evidence.spies import scaling
    from looplift.evidence.spies.patch import Patches
    recorder = types.SimpleNamespace(note=lambda *a, **k: None, where=lambda: None)
    scaling.watch(recorder, Patches())
torch.manual_seed(1)
accelerator = Accelerator(mixed_precision="fp16", cpu=device == "cpu")
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
model, optimizer = accelerator.prepare(model, optimizer)
before = model.weight.detach().clone()
rows = torch.arange(8.0, device=accelerator.device).reshape(2, 4) / 100  # larger ones overflow under the scale
loss = model(rows).float().pow(2).mean()
loss.backward() if way == "bare" else accelerator.backward(loss)
said = ""
try:
    if way == "twice":
        accelerator.unscale_gradients()
    if way == "torch":
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
    else:
        accelerator.clip_grad_norm_(model.parameters(), 1e-3)
    optimizer.step()
except (RuntimeError, AssertionError) as error:
    said = str(error)
moved = float((model.weight.detach() - before).norm())
print(json.dumps({"moved": moved, "said": said, "scaler": accelerator.scaler is not None}))
"""
DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")),
]


def step(way: str, device: str) -> dict[str, Any]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", STEP, way, device], capture_output=True, text=True, env=environment, check=True
    )
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


@pytest.mark.parametrize("device", DEVICES)
def test_accelerates_clipping_steps_by_the_limit(device: str) -> None:
    seen = step("accelerator", device)
    assert seen["scaler"] and 1e-5 < seen["moved"] <= 1.01e-3


@pytest.mark.parametrize("device", DEVICES)
def test_torchs_clipping_leaves_nearly_nothing(device: str) -> None:
    assert step("torch", device)["moved"] < 1e-7


@pytest.mark.parametrize("device", DEVICES)
def test_gradients_may_not_be_unscaled_twice(device: str) -> None:
    assert "unscale_() has already been called" in step("twice", device)["said"]


@pytest.mark.parametrize("device", DEVICES)
def test_a_bare_backward_leaves_the_scaler_without_a_scale(device: str) -> None:
    assert "_scale is None" in step("bare", device)["said"]


def test_casts_keep_their_bits_in_a_run_in_float64() -> None:
    script = """
import torch
from looplift.evidence.spies import precise
from looplift.evidence.spies.patch import Patches
patches = Patches()
precise.watch(None, patches)
exact, short = torch.ones(2, dtype=torch.float64), torch.ones(2)
few = torch.zeros(1, dtype=torch.bfloat16)
kept = [exact.float(), exact.half(), exact.bfloat16(), exact.to(torch.float32), exact.to("cpu", torch.bfloat16),
        exact.to(few), exact.to(dtype=torch.float16), exact.type(torch.float32), exact.type("torch.FloatTensor")]
assert all(it.dtype == torch.float64 for it in kept), [it.dtype for it in kept]
assert next(torch.nn.Linear(2, 2).double().to(torch.bfloat16).parameters()).dtype == torch.float64
assert short.bfloat16().dtype == few.dtype and exact.long().dtype == torch.int64 and short.double().dtype == exact.dtype
assert len({(owner, name) for owner, name, _ in patches.made}) == len(patches.made) == 5
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_in_every_other_run_casts_are_left_alone() -> None:
    script = """
import torch
from looplift.evidence.spies import install
from looplift.hidden.plan import Plan, Sizes
import types
install(types.SimpleNamespace(networks=()), Plan("training_loop", 1, Sizes(1, 4, 2, 8, 8)))
assert torch.ones(2, dtype=torch.float64).float().dtype == torch.float32
"""
    subprocess.run([sys.executable, "-c", script], check=True)
