# why: a trainer class, a printing function for the main process only, evaluation in a generator (V8)


class Trainer:
    def __init__(self, batch_size, seed):
        set_seed(seed)
        self.accelerator = Accelerator()
        model = make_model()
        self.model, self.optimizer, self.train_loader, self.eval_loader = self.accelerator.prepare(
            model, torch.optim.SGD(model.parameters(), lr=LEARNING_RATE), *get_dataloaders(batch_size)
        )
        self.report = self.accelerator.on_main_process(self.say)

    @staticmethod
    def say(epoch, f1):
        print(f"epoch {epoch}:", "F1", f"{f1:.4f}")

    def train_one_epoch(self):
        self.model.train()
        for batch in self.train_loader:
            with self.accelerator.accumulate(self.model):
                self.accelerator.backward(self.model(**batch).loss)
                self.optimizer.step()
                self.optimizer.zero_grad()

    @torch.no_grad()
    def answers(self):
        self.model.eval()
        for batch in self.eval_loader:
            said = self.model(**batch).logits.argmax(dim=-1)
            yield from zip(*(it.tolist() for it in self.accelerator.gather_for_metrics([said, batch["labels"]])))

    def f1(self):
        pairs = list(self.answers())
        hits = sum(said == true == 1 for said, true in pairs)
        return 2 * hits / max(sum(said + true for said, true in pairs), 1)

    def fit(self, epochs):
        history = []
        for epoch in range(epochs):
            self.train_one_epoch()
            history.append(self.f1())
            self.report(epoch, history[-1])
        return history[-1]


def training_loop(batch_size=16, epochs=3, seed=42):
    return Trainer(batch_size, seed).fit(epochs)
