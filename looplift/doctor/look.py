"""Look at this machine. Nothing is changed, and no GPU is initialised."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from looplift import __version__
from looplift.doctor.advice import LEFT_BY_A_LAUNCHER
from looplift.doctor.facts import Facts, Package
from looplift.doctor.port import PORT, look_at_port

_TELLING = (*LEFT_BY_A_LAUNCHER, "ACCELERATE_USE_CPU", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES")
_ALSO = ("jupyterlab", "ipykernel")  # nbgrader brings them; their versions belong in a bug report


def look(folder: Path) -> Facts:
    """The facts of this machine. folder: where a student works."""
    torch, trouble, cuda, gpus = _torch()
    kernel = _kernel()
    jupyter = shutil.which("jupyter") or ""
    scratch = Path(tempfile.gettempdir())
    return Facts(
        looplift=__version__,
        system=platform.platform(),
        python=sys.version_info[:3],
        program=sys.executable,
        cores=_cores(),
        memory=_memory(),
        fork=hasattr(os, "fork"),
        port=look_at_port(PORT),
        packages=packages(),
        torch=torch,
        torch_trouble=trouble,
        cuda=cuda,
        gpus=gpus,
        kernel=kernel,
        kernel_is_ours=starts(kernel, sys.executable),
        jupyter=jupyter,
        jupyter_is_ours=not jupyter or _beside(jupyter, sys.executable),
        environment={name: os.environ[name] for name in _TELLING if name in os.environ},
        hosted=_hosted(),
        sandbox=_sandbox(),
        folder=str(folder),
        folder_trouble=why_not_writable(folder),
        scratch=str(scratch),
        scratch_free=shutil.disk_usage(scratch).free,
        scratch_trouble=why_not_writable(scratch),
    )


def packages(of: str = "looplift") -> tuple[Package, ...]:
    """What pyproject.toml asks for, as pip recorded it, and what is there. Empty when `of` is not installed."""
    from packaging.requirements import Requirement

    try:
        asked = [Requirement(it) for it in importlib.metadata.requires(of) or []]
    except importlib.metadata.PackageNotFoundError:
        return ()
    found = []
    for it in asked:
        if it.marker is None or it.marker.evaluate({"extra": ""}):
            version = _version(it.name)
            fits = it.specifier.contains(version, prereleases=True) if version else False
            found.append(Package(it.name, version, str(it.specifier), fits))
    also = (Package(name, _version(name)) for name in _ALSO)
    return (*found, *(it for it in also if it.version))


def starts(kernel: str, program: str) -> bool:
    """Whether a kernel's program is this Python; a bare `python` is replaced by Jupyter with its own."""
    return Path(kernel).parent == Path() or _beside(kernel, program)


def why_not_writable(folder: Path) -> str:
    """Why nothing can be written in a folder, or ""."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _torch() -> tuple[str, str, str, int]:
    """Version, why it cannot be imported, the CUDA it was built for, the number of GPUs."""
    try:
        import torch

        # device_count asks the driver, and leaves CUDA uninitialised: a fork stays possible.
        return torch.__version__, "", torch.version.cuda or "", torch.cuda.device_count()
    except Exception as error:  # noqa: BLE001 - a broken build raises anything, from ImportError to OSError
        return "", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", "", 0


def _cores() -> int:
    """Cores that this process may use, within its container."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        cores = os.cpu_count() or 1
    quota = _limit("/sys/fs/cgroup/cpu.max")
    return max(1, min(cores, round(quota[0] / quota[1]))) if len(quota) == 2 else cores


def _memory() -> int:
    """Bytes of memory of this machine or its container; 0 when that cannot be seen."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0
    return min([whole, *_limit("/sys/fs/cgroup/memory.max")])


def _limit(path: str) -> list[int]:
    """The numbers in a file of the container's limits; none where there is no limit."""
    try:
        words = Path(path).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return []
    return [int(it) for it in words] if all(it.isdigit() for it in words) else []


def _kernel() -> str:
    """The program of the kernel `python3`, or "" when Jupyter knows none."""
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    except ImportError:
        return ""
    try:
        return str(KernelSpecManager().get_kernel_spec("python3").argv[0])
    except (NoSuchKernel, IndexError, OSError, ValueError):
        return ""


def _beside(one: str, other: str) -> bool:
    """Whether two programs lie in one folder. Links are not followed: each environment's python is one."""
    return Path(os.path.abspath(one)).parent == Path(os.path.abspath(other)).parent


def _hosted() -> str:
    if "COLAB_RELEASE_TAG" in os.environ:
        return "Colab"
    return "Kaggle" if any(name.startswith("KAGGLE_") for name in os.environ) else ""


def _sandbox() -> str:
    """What can enclose the run of a submission here, "" for nothing. Tried for real."""
    from looplift.sandbox import available

    return "" if available() else "a room for each run"
