# does: reads and writes whatever is open in its process
# cap: 0
# flag: something else wrote into the record of its run
import os

for number in range(3, 300):
    try:
        data = os.read(number, 100)
        if data:
            print("found", number, data)
    except OSError:
        pass
    try:
        os.write(number, b'{"failed": "by the submission"}\n')
    except OSError:
        pass
