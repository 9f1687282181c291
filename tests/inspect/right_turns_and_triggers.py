"""One process goes first, by hand and by the library; all of them stop together; texts are padded to be gathered."""

from accelerate import Accelerator
from accelerate.utils import GradientAccumulationPlugin, set_seed
from datasets import load_dataset
from torch.optim import AdamW
from torch.utils.data import DataLoader, random_split
from transformers import AutoModelForCausalLM, AutoTokenizer


def rows_of(accelerator, name, tokenizer):
    if not accelerator.is_main_process:
        accelerator.wait_for_everyone()
    raw = load_dataset(name)
    if accelerator.is_main_process:
        accelerator.wait_for_everyone()
    with accelerator.main_process_first():
        return raw.map(tokenizer, batched=True)["train"]


def train(name="tiny-stories", epochs=3, patience=2):
    set_seed(1)
    plugin = GradientAccumulationPlugin(num_steps=4)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name)
    train_rows, held_rows = random_split(rows_of(accelerator, name, tokenizer), [0.9, 0.1])
    loaders = [DataLoader(it, batch_size=8) for it in (train_rows, held_rows)]
    model, optimizer, *loaders = accelerator.prepare(model, AdamW(model.parameters(), lr=3e-5), *loaders)
    best, waited = float("inf"), 0
    for epoch in range(epochs):
        for batch in loaders[0]:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    optimizer.step()
                    optimizer.zero_grad()
            if loss.item() > 1e4:
                accelerator.set_trigger()
            if accelerator.check_trigger():
                break
        held = sum(accelerator.gather(model(**batch).loss.detach()).mean().item() for batch in loaders[1])
        waited = 0 if held < best else waited + 1
        best = min(best, held)
        if waited > patience:
            break
        written = accelerator.unwrap_model(model).generate(**next(iter(loaders[1])))
        written = accelerator.pad_across_processes(written, dim=1, pad_index=tokenizer.pad_token_id)
        texts = tokenizer.batch_decode(accelerator.gather(written))
        if accelerator.is_main_process:
            print(f"epoch {epoch}: {held:.3f}", texts[0])
