"""A script with a command line: tracking, accumulation, clipping, checkpoints to come back to."""

import argparse
import math

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoModelForSequenceClassification, get_scheduler


def make_loaders(args):
    rows = torch.load(args.rows)
    train = DataLoader(rows["train"], shuffle=True, batch_size=args.batch_size)
    return train, DataLoader(rows["validation"], batch_size=args.batch_size)


def grouped(model, decay):
    plain = ("bias", "LayerNorm.weight")
    return [
        {
            "params": [p for n, p in model.named_parameters() if not any(it in n for it in plain)],
            "decay": decay,
        },
        {"params": [p for n, p in model.named_parameters() if any(it in n for it in plain)], "decay": 0.0},
    ]


def evaluate(accelerator, model, loader):
    model.eval()
    hits = rows = 0
    for batch in loader:
        with torch.no_grad():
            predictions = model(**batch).logits.argmax(dim=-1)
        predictions, references = accelerator.gather_for_metrics((predictions, batch["labels"]))
        hits += (predictions == references).sum().item()
        rows += len(references)
    return hits / rows


def train(args):
    if args.with_tracking:
        accelerator = Accelerator(gradient_accumulation_steps=args.steps, log_with="all")
    else:
        accelerator = Accelerator(gradient_accumulation_steps=args.steps)
    if args.with_tracking:
        accelerator.init_trackers("pairs", vars(args))
    if args.seed is not None:
        set_seed(args.seed)
    train_loader, eval_loader = make_loaders(args)
    model = AutoModelForSequenceClassification.from_pretrained(args.model)
    optimizer = torch.optim.AdamW(grouped(model, args.decay), lr=args.learning_rate)

    overrode = False
    updates = math.ceil(len(train_loader) / args.steps)
    if args.max_steps is None:
        args.max_steps = args.epochs * updates
        overrode = True
    scheduler = get_scheduler(
        name="linear",
        optimizer=optimizer,
        num_warmup_steps=args.warmup * accelerator.num_processes,
        num_training_steps=args.max_steps if overrode else args.max_steps * accelerator.num_processes,
    )
    model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, eval_loader, scheduler
    )
    if args.resume:
        accelerator.load_state(args.resume)
    done = 0
    bar = tqdm(range(args.max_steps), disable=not accelerator.is_local_main_process)
    for epoch in range(args.epochs):
        model.train()
        total = 0
        batches = accelerator.skip_first_batches(train_loader, args.skip) if args.resume else train_loader
        for batch in batches:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                total += loss.detach().float()
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                bar.update(1)
                done += 1
                if done % args.save_every == 0:
                    accelerator.save_state(f"step_{done}")
            if done >= args.max_steps:
                break
        score = evaluate(accelerator, model, eval_loader)
        accelerator.print(f"epoch {epoch}: {score:.3f}")
        if args.with_tracking:
            accelerator.log({"score": score, "loss": total.item() / len(train_loader)}, step=done)
    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained(
        args.out, is_main_process=accelerator.is_main_process, save_function=accelerator.save
    )
    if accelerator.is_main_process:
        with open(f"{args.out}/score.txt", "w") as file:
            file.write(str(score))
    accelerator.end_training()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
