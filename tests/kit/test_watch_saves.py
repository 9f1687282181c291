"""Saves are seen with and without file events; a file that is half written is waited for; keys come one by one."""

from __future__ import annotations

import json
import os
import select
import threading
import time
from pathlib import Path

import pytest

from looplift.watching import saves as saves_module
from looplift.watching.keys import Keys
from looplift.watching.saves import Saves, poll_wanted
from looplift.watching.worker import settled

NAMES = ("exercise.ipynb", "exercise.py")


def seen(saves: Saves, patience: float = 30.0) -> bool:
    ready, _, _ = select.select([saves.fileno()], [], [], patience)
    if ready:
        saves.take()
    return bool(ready)


def no_events(*_, stop_event, **__):
    """A file system that tells nothing: watchfiles only comes back from time to time."""
    while not stop_event.wait(0.05):
        yield set()


def no_watching(*_, **__):
    raise OSError("no space left on device: inotify")
    yield


WAYS = {"events": None, "polling": None, "no events come": no_events, "watching fails": no_watching}


@pytest.fixture(params=WAYS)
def saves(request, tmp_path: Path, monkeypatch):
    if WAYS[request.param]:
        monkeypatch.setattr(saves_module, "watch", WAYS[request.param])
    (tmp_path / NAMES[0]).write_text("before")
    saves = Saves(tmp_path, NAMES, poll=request.param == "polling")
    yield saves
    saves.close()
    saves.close()


def test_every_kind_of_save_is_seen_and_nothing_else(saves, tmp_path):
    notebook, script = (tmp_path / name for name in NAMES)
    notebook.write_text("written in place")
    assert seen(saves)
    part = tmp_path / ".exercise.tmp"
    part.write_text("written beside, then put in place")
    part.replace(notebook)
    assert seen(saves)
    script.write_text("made anew")
    assert seen(saves)
    notebook.unlink()
    script.unlink()
    (tmp_path / "other.py").write_text("not watched")
    (tmp_path / "deeper").mkdir()
    assert not seen(saves, 1.2)
    notebook.write_text("back again")
    assert seen(saves)


def test_polling_is_asked_for_by_the_environment(monkeypatch):
    answers = {"": False, "0": False, "no": False, "1": True, "yes": True}
    for value, wanted in answers.items():
        monkeypatch.setenv("LOOPLIFT_POLL", value)
        assert poll_wanted() is wanted
    assert len(answers) == 5


# Half-written files


def test_a_half_written_notebook_is_read_again_until_it_is_whole(tmp_path):
    path = tmp_path / "exercise.ipynb"
    whole = json.dumps({"cells": []})
    for half in ("", whole[:5]):
        path.write_text(half)
        timer = threading.Timer(0.2, path.write_text, [whole])
        timer.start()
        assert settled(path, 30) == whole.encode()
        timer.join()


def test_a_notebook_that_is_being_replaced_is_waited_for(tmp_path):
    path = tmp_path / "exercise.ipynb"
    timer = threading.Timer(0.2, path.write_text, ["{}"])
    timer.start()
    assert settled(path, 30) == b"{}"
    timer.join()


def test_a_file_that_stays_broken_is_given_as_it_is_and_a_missing_one_is_said(tmp_path):
    path = tmp_path / "exercise.ipynb"
    path.write_text('{"cells": [')
    assert settled(path, 0.1) == b'{"cells": ['
    with pytest.raises(FileNotFoundError):
        settled(tmp_path / "missing.py", 0.1)


# Keys


def test_from_a_pipe_a_key_is_the_first_letter_of_a_line():
    reading, writing = os.pipe()
    with Keys(reading) as keys:
        os.write(writing, b"h\n  Quit \n\nnex")
        assert (keys.single, keys.read()) == (False, ["h", "q"])
        os.write(writing, b"t\n")
        assert keys.read() == ["n"]
        os.close(writing)
        assert (keys.read(), keys.fileno()) == ([], None)  # the watch goes on without keys
    os.close(reading)


def test_from_a_terminal_keys_come_one_by_one_and_it_is_left_as_it_was():
    import pty
    import termios

    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    with Keys(theirs) as keys:
        assert keys.single
        assert not termios.tcgetattr(theirs)[3] & (termios.ICANON | termios.ECHO)
        os.write(ours, b"hL")
        assert keys.read() == ["h", "l"]
        os.write(ours, b"\x1b[A")  # an arrow
        assert keys.read() == []
        os.write(ours, b"\x04")  # Ctrl-D
        assert keys.read() == ["q"]
    assert termios.tcgetattr(theirs) == before
    with pytest.raises(RuntimeError, match="anything"), Keys(theirs):
        raise RuntimeError("anything")
    assert termios.tcgetattr(theirs) == before
    os.close(theirs)
    os.close(ours)


def test_without_any_input_there_are_no_keys():
    with Keys(None) as keys:
        assert (keys.fileno(), keys.single) == (None, False)


def test_a_close_ends_the_thread(tmp_path):
    before = threading.active_count()
    saves = Saves(tmp_path, NAMES)
    saves.close()
    end = time.monotonic() + 30
    while threading.active_count() > before:
        assert time.monotonic() < end
        time.sleep(0.01)
