"""The notebook door: `check(...)` in a graded cell."""
