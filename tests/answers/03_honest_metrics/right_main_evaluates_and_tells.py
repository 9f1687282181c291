# why: only the main process evaluates, over the raw loader and the unwrapped model, and broadcasts the result
from accelerate.utils import broadcast_object_list


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, raw_eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            accelerator.backward(model(**batch).loss)
            optimizer.step()
        result = [0.0]
        if accelerator.is_main_process:
            net = accelerator.unwrap_model(model).eval()
            pairs = []
            with torch.no_grad():
                for batch in raw_eval_loader:
                    batch = {name: column.to(accelerator.device) for name, column in batch.items()}
                    pairs += zip(net(**batch).logits.argmax(dim=-1).tolist(), batch["labels"].tolist())
            hits = pairs.count((1, 1))
            result = [2 * hits / max(2 * hits + pairs.count((1, 0)) + pairs.count((0, 1)), 1)]
            print(f"epoch {epoch}: F1 {result[0]:.4f}")
        broadcast_object_list(result)
    return result[0]
