# why: split_batches, and the predictions of an epoch collected first and counted with numpy (V19)
import numpy as np
from accelerate.utils import DataLoaderConfiguration


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(dataloader_config=DataLoaderConfiguration(split_batches=True))
    train_loader, eval_loader = get_dataloaders(batch_size * accelerator.num_processes)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)

    def f1_now():
        model.eval()
        columns = []
        for batch in eval_loader:
            with torch.no_grad():
                pair = (model(**batch).logits, batch["labels"])
            logits, labels = accelerator.gather_for_metrics(pair)
            columns.append(np.stack([logits.cpu().numpy().argmax(-1), labels.cpu().numpy()]))
        said, true = np.concatenate(columns, axis=1)
        hits = np.logical_and(said == 1, true == 1).sum()
        return float(2 * hits / max((said == 1).sum() + (true == 1).sum(), 1))

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            accelerator.backward(model(**batch).loss)
            optimizer.step()
        f1 = f1_now()
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
