# does: changes the kit, the packages, the interpreter's start-up and the user's files
# cap: 0
# flag: -
import os
import site

import looplift

places = [looplift.__file__, os.path.join(site.getsitepackages()[0], "sitecustomize.py"), "/root/.bashrc",
          "/etc/passwd", "/etc/cron.d/x", "/usr/bin/x", "/dev/shm/../../etc/x", "/proc/sys/kernel/core_pattern",
          "/proc/sysrq-trigger", "{COURSE}/written", "/evidence/../written", "../written"]
for path in places:
    try:
        with open(path, "a") as file:
            file.write("# written by a submission\n")
        print("written", path)
    except OSError as error:
        print(error)
