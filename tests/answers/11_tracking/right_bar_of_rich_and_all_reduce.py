# why: V18 another library's bar; the mean by torch.distributed, where there are several
from rich.progress import Progress
import torch.distributed as dist


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(log_with="tensorboard", project_dir=LOG_FOLDER)
    with accelerator.main_process_first():
        train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    config = {"batch_size": batch_size, "epochs": epochs, "learning_rate": LEARNING_RATE}
    accelerator.init_trackers("two_processes", config)
    step = 0
    bar = Progress(disable=not accelerator.is_main_process)
    task = bar.add_task("training", total=epochs * len(train_loader))
    bar.start()
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            mean = loss.detach().clone()
            if accelerator.num_processes > 1:
                dist.all_reduce(mean)
            accelerator.log({"loss": mean.item() / accelerator.num_processes}, step=step)
            step += 1
            bar.advance(task)
    bar.stop()
    accelerator.end_training()
