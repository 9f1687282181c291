# why: prepare_model, prepare_optimizer and prepare_data_loader in the place of prepare (V5)
import torch.nn.functional as F


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    net = make_model()
    opt = torch.optim.SGD(net.parameters(), lr=LEARNING_RATE)

    train_loader = accelerator.prepare_data_loader(train_loader)
    net = accelerator.prepare_model(net)
    opt = accelerator.prepare_optimizer(opt)

    for epoch in range(epochs):
        net.train()
        for batch in train_loader:
            opt.zero_grad()
            labels = batch.pop("labels")
            loss = F.cross_entropy(net(**batch).logits, labels)  # what outputs.loss is made of
            accelerator.backward(loss)
            opt.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
