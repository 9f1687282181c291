# why: prepare in three calls, loader first, and the old variables are deleted (V2)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    raw_train, raw_eval = get_dataloaders(batch_size)
    loader = accelerator.prepare(raw_train)
    raw_model = make_model()
    raw_optimizer = torch.optim.SGD(raw_model.parameters(), lr=LEARNING_RATE)
    optimizer = accelerator.prepare(raw_optimizer)
    model = accelerator.prepare(raw_model)
    del raw_train, raw_eval, raw_optimizer, raw_model

    model.train()
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad(set_to_none=True)
            output = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=batch["labels"])
            accelerator.backward(output["loss"])
            optimizer.step()
        print(f"epoch {epoch}: loss {output['loss'].item():.4f}")
