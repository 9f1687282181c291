"""Hostile submissions are judged only where runs can be enclosed: elsewhere these tests are skipped."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "kit"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    from looplift.sandbox import available

    why = available()
    if why:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=why))
