"""A job in a program of its own, for when the warm process must not be forked."""

from __future__ import annotations

import json
import os
import socket

from looplift.pool.zygote import end_with, say, work


def main(request: str, number: str, parent: str) -> None:
    """Import what the job's lesson needs and judge it. number: the file descriptor to answer on."""
    asked = json.loads(request)
    answers = socket.socket(fileno=int(number))
    os.set_inheritable(answers.fileno(), False)
    if not end_with(int(parent)):
        return
    say(answers, running="importing what the lesson needs")
    try:
        if asked["sandbox"]:
            from looplift.sandbox import prepare

            prepare()
        from looplift.judge.warming import warm
        from looplift.lesson import find_lesson

        work(warm(find_lesson(asked["lesson"])), asked, answers)
    except Exception as error:  # a broken lesson, a broken installation
        say(answers, failed=f"{type(error).__name__}: {error}")
