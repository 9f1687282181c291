# does: makes prepare and backward of Accelerator do nothing, so that a plain loop may call them
# cap: plain
# flag: replaced
from accelerate import Accelerator

Accelerator.prepare = lambda self, *things, **kwargs: things
Accelerator.backward = lambda self, loss, **kwargs: loss.backward()
Accelerator.__init__ = lambda self, *args, **kwargs: None
# PLAIN LOOP
