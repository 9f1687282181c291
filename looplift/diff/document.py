"""A whole HTML document that needs nothing else: no network, no other file."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path

from looplift.diff.style import page_style

_RULES = Path(__file__).with_name("page.css")
_STEPS = Path(__file__).with_name("stages.js")

LARGER = '<label class="larger"><input type="checkbox" id="larger-text"> Larger text</label>'


def document(title: str, header: str, main: str, footer: str = "", script: str = "") -> str:
    """The document. title: plain text; header, main and footer: HTML for these landmarks.

    script: the only one that the page may run, whatever stands in the programs.
    """
    run = f"<script>{script}</script>\n" if script else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy(script)}">
<title>{escape(title)}</title>
<style>
{page_style()}
{page_rules()}
</style>
</head>
<body>
<a class="skip" href="#programs">Skip to the programs</a>
<header>
{header}
{LARGER}
</header>
<main id="programs" tabindex="-1">
{main}
</main>
{f"<footer>{footer}</footer>" if footer else ""}
{run}</body>
</html>
"""


def policy(script: str = "") -> str:
    """The content security policy of a page: it loads nothing, and runs this script or none."""
    rules = "default-src 'none'; style-src 'unsafe-inline'"
    if not script:
        return rules
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{rules}; script-src 'sha256-{digest}'"


def page_rules() -> str:
    """CSS of what stands around the programs."""
    return _RULES.read_text(encoding="utf-8").strip()


def stage_script() -> str:
    """The script that shows one stage at a time."""
    return f"\n{_STEPS.read_text(encoding='utf-8')}"
