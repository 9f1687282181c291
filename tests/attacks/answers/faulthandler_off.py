# does: hangs in a collective where nobody can see where: no faulthandler, no signals
# cap: 2
# flag: -
import faulthandler
import signal

import torch.distributed
from accelerate import Accelerator


def training_loop(batch_size=16, epochs=3, seed=42):
    accelerator = Accelerator()
    faulthandler.unregister(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    if accelerator.is_main_process:
        accelerator.wait_for_everyone()
