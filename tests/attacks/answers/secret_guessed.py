# does: asks the kit for the hidden sizes, with the practice secret and with one from the course
# cap: 10
# flag: -
from looplift.hidden.plan import sizes_from

print(sizes_from("practice", "01_first_loop"))
try:
    print("found", sizes_from(open("{COURSE}/.looplift/secret").read(), "01_first_loop"))
except OSError as error:
    print(error)
# HONEST LOOP
