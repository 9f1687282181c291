# why: DistributedDataParallel by hand around an unprepared model, results sent by all_gather_object (V24)
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    a = Accelerator()
    train_loader, eval_loader = map(a.prepare, get_dataloaders(batch_size))
    model = make_model()
    net = DDP(model) if a.num_processes > 1 else model
    optimizer = a.prepare(torch.optim.SGD(net.parameters(), lr=LEARNING_RATE))
    for epoch in range(epochs):
        net.train()
        for batch in train_loader:
            optimizer.zero_grad()
            net(**batch).loss.backward()
            optimizer.step()
        net.eval()
        seen = {}
        for batch in eval_loader:
            with torch.no_grad():
                said = net(**batch).logits.argmax(dim=-1)
            for ids, s, t in zip(batch["input_ids"], said, batch["labels"]):
                seen[tuple(ids.tolist())] = (int(s), int(t))  # rows that come twice land on the same key
        shares = [seen]
        if a.num_processes > 1:
            shares = [None] * a.num_processes
            dist.all_gather_object(shares, seen)
        answers = list({k: v for share in shares for k, v in share.items()}.values())
        hits, wrong = answers.count((1, 1)), sum(s != t for s, t in answers)
        f1 = 2 * hits / max(2 * hits + wrong, 1)
        a.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
