"""The course as a static site that works from the file system."""

from looplift.site.site import Written, write_site

__all__ = ["Written", "write_site"]
