# does: forks without end
# cap: 0
# flag: processes
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
