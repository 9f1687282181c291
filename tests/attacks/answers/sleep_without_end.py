# does: sleeps for ever without using a tick
# cap: 0
# flag: -
import time


def training_loop(batch_size=16, epochs=3, seed=42):
    time.sleep(10**6)
