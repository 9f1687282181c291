# does: tells the kernel not to end it with its parent, and goes on
# cap: 0
# flag: -
import ctypes
import signal
import time

ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
time.sleep(1000)
