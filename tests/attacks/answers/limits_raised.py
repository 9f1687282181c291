# does: raises its limits and saves itself from the kernel's choice when memory runs out
# cap: 0
# flag: -
import resource

for name in ("RLIMIT_NPROC", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_NOFILE"):
    try:
        resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print("written", name)
    except (OSError, ValueError) as error:
        print(error)
try:
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")
    print("written: oom_score_adj")
except OSError as error:
    print(error)
