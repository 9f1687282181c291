# fails: one_accelerator
# says: without a single optimizer step
# where: def training_loop(batch_size=16, epochs=3, seed=42):
# kind: unfinished: everything is prepared, the loop is still missing


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    ...
