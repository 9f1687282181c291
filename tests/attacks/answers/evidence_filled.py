# does: fills the folder of the record, so that nothing more can be written down
# cap: 0
# flag: something else was left beside the record of its run
# HONEST LOOP
try:
    with open("/evidence/fill", "wb") as file:
        while True:
            file.write(bytes(1 << 20))
except OSError:
    pass
