# does: fills every disk that it can write to
# cap: 0
# flag: -
import os

for place in ("/tmp", "/scratch", "/output", "/var/tmp", "/dev/shm", "/", "{COURSE}"):
    total = 0
    try:
        for number in range(100):
            with open(os.path.join(place, f"fill-{number}"), "wb") as file:
                for _ in range(100):
                    total += file.write(bytes(1 << 20))
    except OSError as error:
        print(place, error)
    print("written" if total > 300 << 20 else "full", place)
