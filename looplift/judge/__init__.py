"""The judge: runs a lesson's graded tests on a submission's evidence and makes the verdict."""

from looplift.judge.fork import Case, judge_apart, warm
from looplift.judge.graded import GradedTest, GradedTests, load_graded
from looplift.judge.judge import PRACTICE, judge

__all__ = ["PRACTICE", "Case", "GradedTest", "GradedTests", "judge", "judge_apart", "load_graded", "warm"]
