# why: a class with a method for each part, a plugin for the accumulation, closures for print and save


class Training:
    def __init__(self, batch_size):
        from accelerate.utils import GradientAccumulationPlugin

        plugin = GradientAccumulationPlugin(num_steps=ACCUMULATION)
        self.acc = Accelerator(mixed_precision="fp16", gradient_accumulation_plugin=plugin)
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
        self.model, self.optimizer = self.acc.prepare(model, optimizer)
        self.train_loader, self.eval_loader = map(self.acc.prepare, get_dataloaders(batch_size))

    def learn(self, batch):
        with self.acc.accumulate(self.model):
            self.acc.backward(self.model(**batch)["loss"])
            if self.acc.sync_gradients:
                self.acc.clip_grad_norm_(self.model.parameters(), max_norm=MAX_NORM)
                self.optimizer.step()
                self.optimizer.zero_grad()

    @torch.no_grad()
    def measure(self):
        self.model.eval()
        told = []
        for batch in self.eval_loader:
            guesses = self.model(**batch).logits.argmax(-1)
            told.append(torch.stack(self.acc.gather_for_metrics((guesses, batch["labels"]))))
        guesses, labels = torch.cat(told, dim=1)
        return 2 * (guesses * labels).sum().item() / max((guesses + labels).sum().item(), 1)

    def keep(self):
        self.acc.wait_for_everyone()
        if self.acc.is_main_process:
            with open(CHECKPOINT, "wb") as file:
                torch.save(self.acc.get_state_dict(self.model), file)


def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    training = Training(batch_size)
    for epoch in range(epochs):
        training.model.train()
        for batch in training.train_loader:
            training.learn(batch)
        f1 = training.measure()
        training.acc.print("epoch", epoch, "F1", f1)
    training.keep()
    return f1
