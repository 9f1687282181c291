"""Headless Chromium for the tests of this folder, and what a page did while it was open."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "kit"))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# No sandbox, because a container's root has none; the rest keeps Chromium from calling home.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]


@dataclass
class Opened:
    """An open page, the addresses it asked for, and what went wrong in it."""

    page: Page
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def go(self, path: Path) -> Page:
        self.page.goto(path.as_uri())
        return self.page

    @property
    def left(self) -> list[str]:
        """Addresses outside the file system."""
        return [it for it in self.asked if not it.startswith(("file:", "data:"))]


Open = Callable[..., AbstractContextManager[Opened]]


def find_chromium() -> str:
    """Path of the system's Chromium. Without one the test is skipped, in CI it fails."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found:
        return found
    reason = f"no Chromium on this machine: looked for {', '.join(NAMES)}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def chromium() -> str:
    return find_chromium()


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for a file of tests; it is gone before the next file, and its event loop with it."""
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def open_page(browser: Browser) -> Open:
    """`with open_page(width=390, dark=True) as opened:` a fresh page that keeps an account of itself."""

    @contextmanager
    def opener(width: int = 1280, height: int = 800, dark: bool = False) -> Iterator[Opened]:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        context.set_default_timeout(20_000)
        opened = Opened(context.new_page())
        opened.page.on("request", lambda request: opened.asked.append(request.url))
        opened.page.on(
            "console", lambda said: opened.errors.append(said.text) if said.type == "error" else None
        )
        opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
        yield opened
        context.close()

    return opener
