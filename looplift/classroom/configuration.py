"""The `nbgrader_config.py` of a course, as an instructor reads it."""

CONFIGURATION = """\
# An ordinary nbgrader configuration: every nbgrader command works in this folder as its manual says.
#
#     nbgrader generate_assignment 01_first_loop
#     nbgrader autograde 01_first_loop
#     nbgrader generate_feedback 01_first_loop
#     nbgrader export
#
# `looplift grade .` does the last three for the whole course, much faster, and shows how far it is.
# Three things only `looplift grade` can do: it records a student who handed in no notebook at all (or one
# whose name does not end in .ipynb), it records again when only the file changed and not its time stamp,
# and it keeps two runs from writing into the gradebook at the same time.

import os
import sys

c = get_config()  # noqa: F821  (nbgrader provides it)

# nbgrader runs `alembic` by name when it makes the gradebook; so it is found without activating anything.
os.environ["PATH"] = os.environ.get("PATH", "") + os.pathsep + os.path.dirname(sys.executable)

# The name of the course, as the exchange and Formgrader use it.
c.CourseDirectory.course_id = "COURSE_ID"

# --- Grading -----------------------------------------------------------------------------------------
# nbgrader's own steps, with two of ours. `Judge` stands where `Execute` does: it asks for a verdict in a
# process of its own and writes the outcome into the graded cells, so nothing that a notebook prints,
# raises or redefines can change a grade. Assignments that are not looplift lessons are still executed.
# `Flag` marks what a person should look at as "needs manual grade", with the reason in a comment.
# c.Judge.sandbox = False  # run what students wrote without a sandbox, where there can be none
c.Autograde.autograde_preprocessors = [
    "looplift.classroom.judge.Judge",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "looplift.classroom.flag.Flag",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Reads a broken notebook (not JSON, cells missing, doubled or renamed, ...) so that it can be graded.
# The student's file in submitted/ is never touched.
c.Autograde.exporter_class = "looplift.classroom.exporter.MendingExporter"

# Takes the only notebook of a submission for the exercise when it has another name.
c.Autograde.pre_convert_hook = "looplift.classroom.exporter.accept_other_names"

# --- Feedback ----------------------------------------------------------------------------------------
# nbgrader's pages, but MathJax is fetched from the network only by a page that has a formula in it.
c.GenerateFeedback.exporter_class = "looplift.classroom.offline.OfflineExporter"

# --- Grades ------------------------------------------------------------------------------------------
# nbgrader's CSV, with names that hold a comma quoted, and a last column for grades that wait for a person.
c.ExportApp.plugin_class = "looplift.classroom.gradesheet.QuotedCsv"
"""
