# does: kills its parent, its group, and all that it may
# cap: 0
# flag: -
import os
import signal

for number in (signal.SIGTERM, signal.SIGKILL):
    for pid in (os.getppid(), -1, 1, -os.getpgrp(), *range(2, 4000)):
        if pid not in (0, os.getpid()):
            try:
                os.kill(pid, number)
            except OSError:
                continue
