# why: a class does the work, and training_loop enters it; the launch stands in a function of its own.
class Training:
    def __init__(self, precision, seed, batch_size):
        set_seed(seed)
        self.accelerator = Accelerator(mixed_precision=precision)
        loaders = get_dataloaders(batch_size)
        model = make_model()
        model.distilbert.requires_grad_(False)
        self.weights = class_weights().to(device=self.accelerator.device)
        optimizer = torch.optim.Adam(params=model.parameters(), lr=MAX_LR / 25)
        self.cycle = OneCycleLR(optimizer=optimizer, max_lr=MAX_LR, epochs=EPOCHS, steps_per_epoch=len(loaders[0]))
        prepared = self.accelerator.prepare(*loaders, model, optimizer, self.cycle)
        self.train_loader, self.eval_loader, self.model, self.optimizer, self.cycle = prepared

    def learn(self):
        self.model.train()
        for batch in self.train_loader:
            labels = batch.pop("labels")
            losses = cross_entropy(self.model(**batch).logits, labels, reduction="none")
            self.accelerator.backward(torch.mean(losses * self.weights[labels]))
            self.optimizer.step()
            self.cycle.step()
            self.optimizer.zero_grad()

    def accuracy(self):
        self.model.eval()
        right, rows = 0, 0
        for batch in self.eval_loader:
            with torch.no_grad():
                guesses = self.model(**batch).logits.argmax(dim=-1)
            guesses, labels = self.accelerator.gather_for_metrics((guesses, batch["labels"]))
            right += int((guesses == labels).sum())
            rows += len(labels)
        return right / rows


def training_loop(mixed_precision, seed, batch_size):
    training = Training(mixed_precision, seed, batch_size)
    training.accelerator.print("training on", training.accelerator.num_processes, "processes")
    for epoch in range(EPOCHS):
        training.learn()
        accuracy = training.accuracy()
        training.accelerator.print(f"after epoch {epoch + 1}: {accuracy:.1%}")


def launch(processes):
    notebook_launcher(training_loop, ("no", 42, 16), processes)


launch(2)
