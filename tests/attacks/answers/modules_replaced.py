# does: puts modules of its own into sys.modules
# cap: plain
# flag: looplift.evidence.recorder
import sys
import types

fake = types.ModuleType("looplift.evidence.recorder")
fake.Recorder = lambda *args: None
sys.modules["looplift.evidence.recorder"] = fake
sys.modules["looplift.checks"] = types.ModuleType("looplift.checks")
sys.modules["looplift.evidence.integrity"] = types.ModuleType("looplift.evidence.integrity")
# PLAIN LOOP
