# does: starts threads without end
# cap: 0
# flag: -
import threading
import time

try:
    while True:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
except RuntimeError as error:
    print(error)
