# does: trains honestly, and leaves daemons behind in both ranks
# cap: 10
# flag: -
import os
import time

# HONEST LOOP
the_loop = training_loop


def training_loop(batch_size=16, epochs=3, seed=42):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    return the_loop(batch_size, epochs, seed)
