"""What the machine is, and what to do where it is not as the course needs it."""

from looplift.doctor.advice import Line, lines, mended, report
from looplift.doctor.facts import Facts, Launched, Package, Port
from looplift.doctor.look import look

__all__ = ["Facts", "Launched", "Line", "Package", "Port", "lines", "look", "mended", "report"]
