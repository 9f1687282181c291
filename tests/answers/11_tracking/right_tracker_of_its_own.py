# why: a GeneralTracker of the student's own around a writer

from accelerate.tracking import GeneralTracker, on_main_process


class Notebook(GeneralTracker):
    name = "notebook"
    requires_logging_directory = False
    main_process_only = True

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    @on_main_process
    def start(self):
        self.writer = SummaryWriter(self.folder)

    @property
    def tracker(self):
        return self.writer

    @on_main_process
    def store_init_configuration(self, values):
        self.writer.add_text("config", ", ".join(f"{name}: {value}" for name, value in values.items()))

    @on_main_process
    def log(self, values, step=None, **kwargs):
        for name, value in values.items():
            self.writer.add_scalar(name, float(value), step)

    @on_main_process
    def finish(self):
        self.writer.close()


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(log_with=Notebook(f"{LOG_FOLDER}/mine"))
    with accelerator.main_process_first():
        train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    config = {"batch_size": batch_size, "epochs": epochs, "learning_rate": LEARNING_RATE}
    accelerator.init_trackers("two_processes", config)
    step = 0
    for epoch in range(epochs):
        model.train()
        for batch in tqdm(train_loader, desc=f"epoch {epoch}", disable=not accelerator.is_local_main_process):
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            accelerator.log({"loss": accelerator.gather(loss).mean()}, step=step)
            step += 1
    accelerator.end_training()
