# why: process 0 reads the rows and sends them out; a progress bar on one process only (V18, V19)
import sys
from accelerate.utils import DataLoaderConfiguration
from tqdm.auto import tqdm


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(dataloader_config=DataLoaderConfiguration(dispatch_batches=True))
    main = accelerator.is_local_main_process
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, *loaders = accelerator.prepare(model, optimizer, *get_dataloaders(batch_size))
    for epoch in range(epochs):
        model.train()
        for batch in tqdm(loaders[0], disable=not main):
            optimizer.zero_grad()
            accelerator.backward(model(**batch).loss)
            optimizer.step()
        model.eval()
        counts = torch.zeros(3)
        for batch in tqdm(loaders[1], disable=not main):
            with torch.no_grad():
                said = model(**batch).logits.argmax(dim=-1)
            said, true = accelerator.gather_for_metrics((said, batch["labels"]))
            counts += torch.tensor([(said * true).sum(), said.sum(), true.sum()])
        f1 = (2 * counts[0] / (counts[1] + counts[2]).clamp(min=1)).item()
        if main:
            sys.stdout.write(f"epoch {epoch}: F1 {f1:.4f}\n")
    return f1
