"""What is known of a machine, as plain data, so that advice can be given on machines that are not here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Package:
    """A package that looplift asks for. wanted: such as `>=1.1`, or "" when any will do; version: "" when missing."""

    name: str
    version: str
    wanted: str = ""
    fits: bool = True


@dataclass(frozen=True)
class Port:
    """The port that launches use. holder: the program that has it, as far as it can be seen."""

    number: int
    free: bool
    holder: str = ""


@dataclass(frozen=True)
class Launched:
    """What came of a real launch. ranks: (rank, world size) as each process saw itself. trouble: what went wrong."""

    processes: int
    ranks: tuple[tuple[int, int], ...] = ()
    device: str = ""
    trouble: str = ""


@dataclass(frozen=True)
class Facts:
    """One machine. Sizes in bytes; 0 where unknown."""

    looplift: str
    system: str  # such as `Linux-6.1-x86_64`
    python: tuple[int, int, int]
    program: str  # sys.executable
    cores: int
    memory: int
    fork: bool
    port: Port
    packages: tuple[
        Package, ...
    ]  # what pyproject.toml asks for; empty when looplift is not installed as a package
    torch: str = ""  # the version; "" when it cannot be imported
    torch_trouble: str = ""
    cuda: str = ""  # the CUDA that torch was built for; "" for a build for the CPU
    gpus: int = 0
    kernel: str = ""  # the program that the kernel `python3` starts; "" when there is no such kernel
    kernel_is_ours: bool = True
    jupyter: str = ""  # the `jupyter` that a shell finds
    jupyter_is_ours: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)  # only names that change a launch
    hosted: str = ""  # `Colab` or `Kaggle` there
    sandbox: str = ""  # what can confine a program here; "" for nothing
    folder: str = "."
    folder_trouble: str = ""  # why nothing can be written there
    scratch: str = "/tmp"
    scratch_free: int = 0
    scratch_trouble: str = ""
    launched: Launched | None = None  # None when no launch was asked for

    def as_data(self) -> dict[str, Any]:
        return asdict(self)
