# does: makes files until no more can be made
# cap: 0
# flag: something else was left beside the record of its run
made = 0
try:
    for number in range(200_000):
        open(f"/evidence/events-{number + 100}.jsonl", "w").close()
        made += 1
except OSError as error:
    print(error)
print("written" if made > 100_000 else "full")
