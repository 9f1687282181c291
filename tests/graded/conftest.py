"""The graded tests are run on one submission: pytest tests/graded --submission PATH."""

from looplift.judge.plugin import (
    evidence,
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_runtest_makereport,
    pytest_terminal_summary,
)

__all__ = [
    "evidence",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_runtest_makereport",
    "pytest_terminal_summary",
]
