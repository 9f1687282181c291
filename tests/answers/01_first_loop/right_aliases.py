# why: prepare and backward under other names, results picked from a list by index (V3, V4)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    prep, bwd = (lambda a: (a.prepare, a.backward))(Accelerator())
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, *rest = prep(model, optimizer, *get_dataloaders(batch_size))
    loaders = rest[1:]
    for epoch in range(epochs):
        model.train()
        for batch in loaders[0]:
            rest[0].zero_grad()
            loss = model(**batch)[0]
            bwd(loss)
            rest[0].step()
        print(f"epoch {epoch}: loss {float(loss):.4f}")
