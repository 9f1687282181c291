# does: lets children do the work that would count, each for a moment, and has the kernel forget them
# cap: 0
# flag: -
import os

while True:
    if os.fork() == 0:
        sum(range(2_000_000))
        os._exit(0)
    os.wait()
