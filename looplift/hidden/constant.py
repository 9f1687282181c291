"""A tensor of constants that stays where it was made until somebody moves it, as one on the CPU does beside a GPU.

On a machine without a GPU a forgotten `.to(accelerator.device)` does no harm, so nobody would notice it. This tensor
behaves as if the accelerator's device were another one: used together with a batch or with what the model gave, it
raises what PyTorch raises there. Moved to a device, by whatever means, it is an ordinary tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

if TYPE_CHECKING:
    from looplift.evidence.spies.patch import Patches

ELSEWHERE = "Expected all tensors to be on the same device, but found at least two devices, the accelerator's and cpu!"


class NotMoved(Tensor):
    """A tensor that no device was named for yet."""


def watch_copies(patches: Patches) -> None:
    """Let `torch.as_tensor` and `torch.asarray` move, too: PyTorch asks no class there."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def copied(data: Any, *args: Any, **kwargs: Any) -> Any:
            made = original(data, *args, **kwargs)
            named = isinstance(made, NotMoved) and kwargs.get("device") is not None
            return made.as_subclass(Tensor) if named else made

        return copied

    for name in ("as_tensor", "asarray"):
        patches.wrap(torch, name, make)


def stay_at_home(drawn: Callable[[Tensor], bool], numbers: Sequence[float]) -> Callable[..., Tensor]:
    """A function that gives the constants. drawn: whether a tensor belongs to a batch of a loader."""

    class AtHome(NotMoved):
        """The constants, with the batches that they must not meet."""

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if _moves(func, args, kwargs):
                return _plain(func, args, kwargs)
            beside = (it for it in _tensors((args, kwargs)) if not isinstance(it, AtHome))
            if any(it.dim() > 0 and (it.requires_grad or drawn(it)) for it in beside):
                raise RuntimeError(ELSEWHERE)
            return super().__torch_function__(func, types, args, kwargs)

    def constants(*_: Any, **__: Any) -> Tensor:
        return torch.tensor(list(numbers)).as_subclass(AtHome)

    return constants


def _moves(func: Any, args: Any, kwargs: Any) -> bool:
    """Whether a call gives a tensor on a device that somebody named."""
    name = getattr(func, "__name__", "")
    if name == "to":
        return any(isinstance(it, (torch.device, Tensor)) for it in (*args[1:], *kwargs.values())) or any(
            isinstance(it, str) and it != "cpu" for it in (*args[1:], kwargs.get("device"))
        )
    return name == "type_as" or kwargs.get("device") is not None


def _plain(func: Any, args: Any, kwargs: Any) -> Any:
    """The call, made on ordinary tensors."""
    with torch._C.DisableTorchFunctionSubclass():
        made = func(*args, **kwargs)
        return made.as_subclass(Tensor) if isinstance(made, Tensor) else made


def _tensors(given: Any) -> Iterator[Tensor]:
    if isinstance(given, Tensor):
        yield given
    elif isinstance(given, (list, tuple)):
        for it in given:
            yield from _tensors(it)
    elif isinstance(given, dict):
        yield from _tensors(list(given.values()))
