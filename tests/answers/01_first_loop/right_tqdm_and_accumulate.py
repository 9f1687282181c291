# why: a progress bar on one process, and accumulate with a count of 1 (V10, V18)
from tqdm.auto import tqdm


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(gradient_accumulation_steps=1)
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        bar = tqdm(train_loader, disable=not accelerator.is_local_main_process, desc=f"epoch {epoch}")
        for step, batch in enumerate(bar):
            with accelerator.accumulate(model):
                outputs = model(**batch)
                accelerator.backward(outputs.loss)
                optimizer.step()
                optimizer.zero_grad()
            bar.set_postfix(step=step, loss=outputs.loss.item())
        accelerator.print(f"epoch {epoch}: loss {outputs.loss.item():.4f}")
