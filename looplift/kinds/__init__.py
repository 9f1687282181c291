"""Kinds of mistakes: what happens, why, a wrong and a right example, which lesson teaches it, how to see it."""

from looplift.kinds.kind import GROUPS, Group, Kind, UnknownKindError, find_kind, has_page, kinds

__all__ = ["GROUPS", "Group", "Kind", "UnknownKindError", "find_kind", "has_page", "kinds"]
