"""Ways to train one thing: what a program leaves to its author, and what it takes off them, measured while it runs.

way.py runs programs, each in a process of its own; counting.py counts in there; chart.py shows them side by side.
"""

from looplift.ways.chart import Ways
from looplift.ways.way import Way, WayError, try_ways

__all__ = ["Way", "WayError", "Ways", "try_ways"]
