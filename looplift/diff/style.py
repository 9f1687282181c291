"""Colours and CSS of the diff as HTML."""

from __future__ import annotations

from pathlib import Path

# Text colours keep a contrast of at least 4.5:1 on every background of their theme, marks included
# (WCAG 2.2, 1.4.3); a test computes it.
LIGHT = {
    "paper": "#ffffff",
    "shade": "#f3f4f6",
    "rule": "#c9ced6",
    "gone": "#fff0ee",
    "gone-mark": "#ffd3cd",
    "come": "#eafbee",
    "come-mark": "#bdf0c8",
    "text": "#1b1f24",
    "dim": "#57606a",
    "link": "#0b57a8",
    "k": "#7526b8",
    "s": "#0a3d80",
    "c": "#56595e",
    "n": "#8a3300",
    "d": "#5c2d91",
    "b": "#7a3b00",
}
DARK = {
    "paper": "#14171c",
    "shade": "#1e232a",
    "rule": "#3d444d",
    "gone": "#2d1a1c",
    "gone-mark": "#6b2228",
    "come": "#14281b",
    "come-mark": "#1c5230",
    "text": "#edf1f5",
    "dim": "#aab3bd",
    "link": "#8cc2ff",
    "k": "#ddbcff",
    "s": "#b5dcff",
    "c": "#bcc4cd",
    "n": "#ffbe8f",
    "d": "#e3c8ff",
    "b": "#ffc98a",
}
BACKGROUNDS = ("paper", "shade", "gone", "gone-mark", "come", "come-mark")
TEXTS = ("text", "k", "s", "c", "n", "d", "b")
_RULES = Path(__file__).with_name("diff.css")


def page_style() -> str:
    """CSS of a page of its own: light or dark as the reader's system asks."""
    dark = f"@media (prefers-color-scheme: dark) {{\n{_colours(':root', DARK)}\n}}"
    return f":root {{ color-scheme: light dark; }}\n{_colours(':root', LIGHT)}\n{dark}\n{_rules()}"


def notebook_style() -> str:
    """CSS of a cell's output: light, or dark where the notebook says that its theme is dark.

    JupyterLab says so in an attribute of the body, VS Code in a class of the body.
    """
    dark = 'body[data-jp-theme-light="false"] .looplift-diff, body.vscode-dark .looplift-diff'
    return f"{_colours('.looplift-diff', LIGHT)}\n{_colours(dark, DARK)}\n{_rules()}"


def _rules() -> str:
    return _RULES.read_text(encoding="utf-8").strip()


def _colours(selector: str, theme: dict[str, str]) -> str:
    return f"{selector} {{ {' '.join(f'--{name}: {value};' for name, value in theme.items())} }}"
