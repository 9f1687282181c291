"""The database of a gradebook, where a course's `db_url` names another than nbgrader's own file."""

from __future__ import annotations

from sqlalchemy import create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from looplift.classroom.course import GradebookError
from looplift.classroom.opened import shown

PATIENCE = 10  # seconds for a server to answer, where the address does not say how many


def reach(db_url: str) -> None:
    """Connect once to a database server, so that what is wrong with it is said in one line before any work is done.

    nbgrader's own file needs no server. Raises GradebookError when the address is none, when its driver is not
    installed, or when the server does not answer.
    """
    try:
        url = make_url(db_url)
        if url.get_backend_name() == "sqlite":
            return
        engine = create_engine(url, connect_args=_patience(url))
    except ArgumentError:
        raise GradebookError(
            "CourseDirectory.db_url in nbgrader_config.py is no address of a database: write, for example, "
            "postgresql+psycopg://USER:PASSWORD@HOST/DATABASE."
        ) from None
    except ImportError as error:
        raise GradebookError(_no_driver(url, error)) from None
    try:
        engine.connect().close()
    except SQLAlchemyError as error:
        raise GradebookError(
            f"The gradebook at {url.render_as_string()} cannot be reached ({told(error)}): start its server, or mend "
            "CourseDirectory.db_url in nbgrader_config.py."
        ) from None
    finally:
        engine.dispose()


def gradebook_name(db_url: str) -> str:
    """Where a gradebook is, fit to be shown: the path of its file, or the server's address without the password."""
    url = make_url(db_url)
    return str(url.database) if url.get_backend_name() == "sqlite" else url.render_as_string()


def told(error: SQLAlchemyError) -> str:
    """What a database says of an error, in few words."""
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return shown(lines[0] if lines else type(error).__name__, 160)


def _patience(url: URL) -> dict[str, int]:
    if url.get_backend_name() != "postgresql" or "connect_timeout" in url.query:
        return {}
    return {"connect_timeout": PATIENCE}


def _no_driver(url: URL, error: ImportError) -> str:
    name = error.name or url.drivername
    if url.get_backend_name() == "postgresql":
        return (
            f"The gradebook is on PostgreSQL and its driver {name} is not installed: "
            "pip install 'looplift[postgres]' and let CourseDirectory.db_url begin with postgresql+psycopg://."
        )
    return f"The gradebook's database needs {name}, which is not installed: pip install it and try again."
