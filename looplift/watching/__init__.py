"""The watch: an exercise is checked at every save, by a process that stays warm."""

from looplift.watching.watch import Watch

__all__ = ["Watch"]
