# does: leaves a daemon behind: forked twice, in a session of its own, deaf to signals
# cap: 0
# flag: -
import os
import signal
import time

if os.fork() == 0:
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
