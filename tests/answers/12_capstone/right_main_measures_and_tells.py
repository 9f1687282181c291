# why: only the main process measures, over the rows as they were, tells the others; each thing prepared, prepared last
from accelerate.utils import broadcast_object_list


def f1_of(network, loader, device):
    network.eval()
    pairs = []
    for batch in loader:
        with torch.no_grad():
            logits = network(batch["input_ids"].to(device), batch["attention_mask"].to(device)).logits
        pairs += zip(logits.argmax(dim=-1).tolist(), batch["labels"].tolist())
    hits = pairs.count((1, 1))
    return 2 * hits / max(2 * hits + pairs.count((1, 0)) + pairs.count((0, 1)), 1)


def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    acc = Accelerator(gradient_accumulation_steps=ACCUMULATION, mixed_precision="fp16")
    loader, all_rows = get_dataloaders(batch_size)
    loader = acc.prepare(loader)
    network = make_model()
    model = acc.prepare_model(network)
    optimizer = acc.prepare_optimizer(torch.optim.SGD(model.parameters(), lr=LEARNING_RATE))
    for epoch in range(epochs):
        model.train()
        for batch in loader:
            with acc.accumulate(model):
                acc.backward(model(**batch).loss)
                if acc.sync_gradients:
                    acc.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()
        told = [None]
        if acc.is_main_process:
            told = [f1_of(acc.unwrap_model(model), all_rows, acc.device)]
            print(f"epoch {epoch}: F1 {told[0]:.4f}")
        broadcast_object_list(told)
    acc.save(network.state_dict(), CHECKPOINT)
    return told[0]
