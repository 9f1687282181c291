# why: a class that holds it all, the log as a context manager of its own, the step counted by enumerate

from contextlib import contextmanager

from accelerate import PartialState


@contextmanager
def tracked(accelerator, name, config):
    accelerator.init_trackers(name, config)
    yield accelerator.log
    accelerator.end_training()


class Run:
    def __init__(self, batch_size):
        self.acc = Accelerator(log_with="all", project_dir=LOG_FOLDER)
        with PartialState().main_process_first():
            self.loader, _ = get_dataloaders(batch_size)
        model = make_model()
        optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
        self.model, self.optimizer, self.loader = self.acc.prepare(model, optimizer, self.loader)

    def learn(self, batch):
        self.optimizer.zero_grad()
        loss = cross_entropy(self.model(batch["image"]), batch["label"])
        self.acc.backward(loss)
        self.optimizer.step()
        return self.acc.gather_for_metrics(loss.detach().repeat(len(batch["label"]))).mean().item()

    def fit(self, epochs, log):
        for epoch in range(epochs):
            self.model.train()
            rows = tqdm(self.loader, disable=not self.acc.is_local_main_process, leave=False)
            for index, batch in enumerate(rows, epoch * len(self.loader)):
                log({"loss": self.learn(batch), "epoch": epoch}, step=index)



def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    run = Run(batch_size)
    config = {"batch_size": batch_size * run.acc.num_processes, "epochs": epochs, "lr": LEARNING_RATE}
    with tracked(run.acc, "class", config) as log:
        run.fit(epochs, log)
