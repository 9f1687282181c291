# why: a subclass of Accelerator, backward through functools.partial (V11)
from functools import partial


class Quiet(Accelerator):
    def learn(self, optimizer, loss):
        optimizer.zero_grad()
        self.backward(loss)
        optimizer.step()


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    quiet = Quiet()
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = quiet.prepare(model, optimizer, train_loader)
    learn = partial(quiet.learn, optimizer)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            loss = model(**batch).loss
            learn(loss)
        if quiet.is_main_process:
            print(f"epoch {epoch}: loss {loss.item():.4f}")
