# why: the debug mode starts empty processes first; the accuracies go to a file, which the notebook reads after the launch.
import json
import tempfile

folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "accuracies.json")


def freeze(module):
    for parameter in module.parameters():
        parameter.requires_grad_(False)


def measured(accelerator, model, loader):
    model.eval()
    hits = []
    for batch in loader:
        labels = batch["labels"]
        with torch.no_grad():
            logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
        hits.append(accelerator.gather_for_metrics(logits.argmax(-1) == labels))
    return torch.cat(hits).float().mean().item()


def training_loop(mixed_precision="no", seed=42, batch_size=16):
    set_seed(seed)
    accelerator = Accelerator(mixed_precision=mixed_precision)
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    freeze(model.distilbert)
    weights = torch.as_tensor(class_weights(), device=accelerator.device)
    optimizer = torch.optim.Adam([it for it in model.parameters() if it.requires_grad], lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, MAX_LR, total_steps=EPOCHS * len(train_loader))
    model, optimizer, scheduler = accelerator.prepare(model, optimizer, scheduler)
    train_loader, eval_loader = accelerator.prepare(train_loader, eval_loader)
    history = []
    for epoch in range(EPOCHS):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            labels = batch.pop("labels")
            losses = cross_entropy(model(**batch).logits, labels, reduction="none")
            accelerator.backward((losses * weights[labels]).mean())
            optimizer.step()
            scheduler.step()
        history.append(measured(accelerator, model, eval_loader))
        if accelerator.is_main_process:
            print(f"epoch {epoch} | loss {losses.mean().item():.3f} | accuracy {history[-1]:.4f}")
    if accelerator.is_main_process:
        with open(path, "w") as file:
            json.dump(history, file)


os.environ["ACCELERATE_DEBUG_MODE"] = "true"
notebook_launcher(training_loop, ("no", 42, 16), num_processes=2)
with open(path) as file:
    print("the last accuracy was", json.load(file)[-1])
