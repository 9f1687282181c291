"""Verdicts: what each check found, as data."""

from looplift.verdict.verdict import CheckResult, Finding, Place, Remark, Verdict, all_failed

__all__ = ["CheckResult", "Finding", "Place", "Remark", "Verdict", "all_failed"]
