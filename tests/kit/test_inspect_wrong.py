"""`looplift inspect` finds what is wrong in the use of Accelerate, by kind and line, where the text shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspected import SCRIPTS, found, found_in_answer, marked

from looplift.inspection import inspect_file, inspect_source, read_text

FIRST, WARMUP, HONEST = "01_first_loop", "02_warmup_schedule", "03_honest_metrics"
TRACKING = "11_tracking"
MIXED = "08_mixed_precision"
LAUNCH = "04_notebook_launch"
CAPSTONE = "12_capstone"
# (lesson, wrong answer, kind, how its line begins): mistakes that stand in the text.
VISIBLE = [
    (FIRST, "accelerator_outside", "accelerator-outside", "accelerator = Accelerator()"),
    (FIRST, "around_the_wrapper", "around-the-wrapper", "outputs = accelerator.unwrap_model(model)(**"),
    (FIRST, "attribute_on_wrapper", "attribute-on-wrapper", 'print("classes:", model.num_labels)'),
    (FIRST, "batches_moved_by_hand", "manual-move", "batch = {name: column.to(device) for name, c"),
    (
        FIRST,
        "called_instead_of_passed",
        "called-before-launch",
        "notebook_launcher(training_loop(16, 1, 42),",
    ),
    (FIRST, "cuda_by_name", "hard-coded-device", 'batch = {name: column.to("cuda") for name, c'),
    (FIRST, "cuda_where_there_is_one", "hard-coded-device", "model = model.cuda()"),
    (FIRST, "launcher_inside", "launcher-inside", "notebook_launcher(one_process, (batch_size,"),
    (FIRST, "loader_not_prepared", "unprepared-loader", "for batch in train_loader:"),
    (FIRST, "loss_divided_by_processes", "gradient-scaled", "accelerator.backward(loss / accelerator.num_"),
    (FIRST, "model_not_prepared", "unprepared-model", "outputs = model(**batch)"),
    (FIRST, "no_backward", "no-backward", "optimizer.step()"),
    (FIRST, "old_loader_looped", "prepared-loader-unused", "for batch in train_loader:"),
    (
        FIRST,
        "optimizer_of_another_model",
        "optimizer-of-another-model",
        "optimizer = torch.optim.SGD(make_model().par",
    ),
    (FIRST, "os_exit_on_rank_1", "rank-died", "os._exit(0)  # one process is enough"),
    (FIRST, "prepare_got_a_list", "prepare-got-a-list", "model, optimizer, train_loader = accelerator"),
    (FIRST, "prepare_on_main_only", "collective-on-some-ranks", "model = accelerator.prepare(model)"),
    (FIRST, "result_dropped", "prepared-model-unused", "accelerator.prepare(model, optimizer, train_"),
    (FIRST, "sharded_twice", "sharded-twice", "sampler = DistributedSampler(rows, accelerat"),
    (FIRST, "step_on_main_only", "no-step-on-a-rank", "optimizer.step()"),
    (FIRST, "stops_on_its_own_loss", "different-step-counts", "return  # good enough"),
    (FIRST, "unpacked_in_another_order", "wrong-unpacking", "model, optimizer, train_loader = accelerator"),
    (FIRST, "zero_grad_forgotten", "gradients-left-over", "accelerator.backward(loss)"),
    (CAPSTONE, "sampler_left", "sharded-twice", "sampler = DistributedSampler(rows, accelerat"),
    (CAPSTONE, "wrappers_names", "module-keys", "accelerator.save(model.state_dict(), CHECKPO"),
    (
        CAPSTONE,
        "saved_by_every_rank",
        "saved-on-the-wrong-ranks",
        "torch.save(accelerator.unwrap_model(model).",
    ),
    (CAPSTONE, "torch_clip", "clipped-before-unscaling", "clip_grad_norm_(model.parameters(), MAX_NORM"),
    (
        WARMUP,
        "counted_after_prepare",
        "schedule-counted-after-prepare",
        "scheduler = OneCycleLR(optimizer, max_lr=MAX",
    ),
    (WARMUP, "does_not_follow_the_optimizer", "scheduler-not-multiplied", "scheduler.step()"),
    (
        WARMUP,
        "every_rank_shuffles_for_itself",
        "custom-sampler",
        "return iter(np.random.permutation(len(self.r",
    ),
    (
        WARMUP,
        "length_divided_and_prepared",
        "schedule-length",
        "scheduler = OneCycleLR(optimizer, max_lr=MAX",
    ),
    (WARMUP, "length_times_processes", "schedule-multiplied", "scheduler = OneCycleLR(optimizer, max_lr=MAX"),
    (WARMUP, "old_scheduler_stepped", "prepared-scheduler-unused", "scheduler.step()"),
    (WARMUP, "raises_on_rank_1", "unknown-name", "history[epoch] = loss.item()"),
    (WARMUP, "scheduler_before_optimizer", "scheduler-before-optimizer", "scheduler.step()"),
    (
        WARMUP,
        "scheduler_never_stepped",
        "scheduler-never-stepped",
        "scheduler = OneCycleLR(optimizer, max_lr=MAX",
    ),
    (WARMUP, "scheduler_not_prepared", "unprepared-scheduler", "scheduler.step()"),
    (WARMUP, "scheduler_on_main_only", "ranks-have-other-rates", "scheduler.step()"),
    (WARMUP, "scheduler_once_an_epoch", "scheduler-per-epoch", "scheduler.step()"),
    (WARMUP, "scheduler_stepped_twice", "scheduler-stepped-too-often", "scheduler.step()  # two processes"),
    (WARMUP, "trains_on_evaluation_rows", "wrong-unpacking", "model, optimizer, eval_loader, train_loader,"),
    (WARMUP, "zero_grad_after_backward", "gradients-erased", "optimizer.zero_grad()"),
    (HONEST, "around_the_wrapper", "around-the-wrapper", "loss = net(**batch).loss"),
    (HONEST, "counts_reduced", "rows-counted-twice", "hits, said, true = accelerator.reduce(counts"),
    (HONEST, "different_shapes", "different-shapes", "labels = accelerator.gather(yes)"),
    (HONEST, "evaluated_on_main_only", "evaluated-on-main-only", "for batch in loader:"),
    (HONEST, "gather", "rows-counted-twice", "predictions, labels = accelerator.gather((pr"),
    (HONEST, "gather_after_the_loop", "rows-counted-twice", "predictions, labels = accelerator.gather_for"),
    (
        HONEST,
        "gathered_on_main_only",
        "collective-on-some-ranks",
        "predictions, labels = accelerator.gather_for",
    ),
    (HONEST, "local_counts", "local-metric", "for batch in eval_loader:"),
    (HONEST, "loss_gathered", "gathered-loss", "accelerator.backward(loss)"),
    (HONEST, "mean_of_the_processes", "mean-of-metrics", "f1 = accelerator.gather(torch.tensor([f1], d"),
    (HONEST, "name_on_main_only", "unknown-name", 'accelerator.print(f"epoch {epoch}: F1 {f1:.4'),
    (HONEST, "not_on_one_process", "not-a-process-group", "dist.all_gather_object(pairs, torch.stack([p"),
    (
        HONEST,
        "only_predictions_gathered",
        "gathered-one-of-two",
        "hits += ((predictions == 1) & (labels == 1))",
    ),
    (TRACKING, "block_around_everything", "deadlock", "model, optimizer, train_loader = accelerator"),
    (TRACKING, "data_on_main_only", "unknown-name", "model, optimizer, train_loader = accelerator"),
    (
        TRACKING,
        "gathered_on_main_only",
        "collective-on-some-ranks",
        'accelerator.log({"loss": accelerator.ga',
    ),
    (TRACKING, "loader_not_prepared", "unprepared-loader", "for batch in tqdm(train_loader"),
    (TRACKING, "never_started", "trackers-not-started", "accelerator.log("),
    (TRACKING, "no_folder", "no-log-folder", 'accelerator = Accelerator(log_with="tensorboard")'),
    (TRACKING, "writer_on_every_rank", "log-on-every-rank", "writer = SummaryWriter(LOG_FOLDER)"),
    (TRACKING, "no_log_with", "no-tracker", 'accelerator.init_trackers("two_processes", config)'),
    (MIXED, "head_given_bf16", "unprepared-model", "loss = pet_loss(model(features), labels)"),
    (MIXED, "loader_not_prepared", "unprepared-loader", "for batch in train_loader:"),
    (MIXED, "optimizer_not_prepared", "unprepared-optimizer", "optimizer.step()"),
    (MIXED, "plain_backward", "plain-backward", "loss.backward()"),
    (MIXED, "zero_grad_forgotten", "gradients-left-over", "accelerator.backward(loss)"),
    (LAUNCH, "accelerator_outside", "accelerator-outside", "accelerator = Accelerator()"),
    (LAUNCH, "accuracy_expected_back", "launcher-result", "accuracy = notebook_launcher(training_loop, ar"),
    (LAUNCH, "args_is_a_number", "called-with-arguments", "notebook_launcher(training_loop, args, num_pro"),
    (LAUNCH, "args_is_a_text", "called-with-arguments", "notebook_launcher(training_loop, args, num_pro"),
    (LAUNCH, "args_too_many", "called-with-arguments", "notebook_launcher(training_loop, args, num_pro"),
    (
        LAUNCH,
        "called_instead_of_passed",
        "called-before-launch",
        'notebook_launcher(training_loop("no", 42, 16),',
    ),
    (LAUNCH, "frozen_after_prepare", "unused-parameters", "parameter.requires_grad = False"),
    (
        LAUNCH,
        "gather_as_in_the_tutorial",
        "rows-counted-twice",
        "predictions, labels = accelerator.gather((pred",
    ),
    (LAUNCH, "gpu_touched_first", "device-before-launch", "trial = make_model().to(device)  # does it fit"),
    (LAUNCH, "index_expected", "called-with-arguments", "notebook_launcher(training_loop, args, num_pro"),
    (LAUNCH, "launcher_inside", "launcher-inside", "notebook_launcher(loop, (mixed_precision, seed"),
    (LAUNCH, "no_num_processes", "no-num-processes", "notebook_launcher(training_loop, args)"),
]
SCRIPTS_WRONG = sorted(SCRIPTS.glob("wrong_*.py"))
TRAIN = """
accelerator = Accelerator({settings})
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(rows, batch_size=8)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    {backward}
    optimizer.step()
    optimizer.zero_grad()
"""


def kinds_in(text: str) -> list[str]:
    return [it.kind for it in inspect_source(read_text("train.py", text)).found]


@pytest.mark.parametrize(
    ("lesson", "answer", "kind", "line"), VISIBLE, ids=[f"{it[0][:2]} {it[1]}" for it in VISIBLE]
)
def test_a_mistake_in_an_answer_is_found_alone_and_on_its_line(
    lesson: str, answer: str, kind: str, line: str
) -> None:
    (found_there,) = found_in_answer(lesson, f"wrong_{answer}")
    assert found_there.kind == kind
    assert found_there.where.source.startswith(line)


def test_many_answers_have_their_mistake_in_the_text() -> None:
    assert len(VISIBLE) == len({it[:2] for it in VISIBLE}) >= 50


@pytest.mark.parametrize("path", SCRIPTS_WRONG, ids=lambda it: it.stem)
def test_a_script_has_just_the_mistakes_that_it_is_marked_with(path: Path) -> None:
    reading = inspect_file(path)
    assert reading.uses == "accelerate"
    assert {it.level for it in reading.found} == {"wrong"}
    assert found(reading) == marked(path)
    assert len(marked(path)) >= 6


def test_there_are_scripts_of_several_makes() -> None:
    assert [it.stem for it in SCRIPTS_WRONG] == [
        "wrong_class_and_aliases",
        "wrong_helpers_and_stars",
        "wrong_launch",
    ]


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [("", []), ("gradient_accumulation_steps=1", []), ('mixed_precision="no"', []),
     ('mixed_precision="fp16"', ["plain-backward"])],
)  # fmt: skip
def test_a_bare_backward_is_wrong_only_where_it_makes_a_difference(settings: str, wrong: list[str]) -> None:
    assert kinds_in(TRAIN.format(settings=settings, backward="loss.backward()")) == wrong


@pytest.mark.parametrize(
    ("precision", "before", "wrong"),
    [("bf16", "", []), ("fp16", "", ["clipped-before-unscaling"]),
     ("fp16", "accelerator.unscale_gradients()", [])],
)  # fmt: skip
def test_torchs_clipping_is_wrong_where_the_gradients_are_scaled(
    precision: str, before: str, wrong: list[str]
) -> None:
    backward = f"accelerator.backward(loss)\n    {before or 'pass'}\n"
    backward += "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"
    assert kinds_in(TRAIN.format(settings=f'mixed_precision="{precision}"', backward=backward)) == wrong


def test_a_part_of_a_container_belongs_to_the_model_that_is_trained() -> None:
    text = (
        "accelerator = Accelerator()\n"
        "head = make_head()\n"
        "model = torch.nn.Sequential(make_body(), head)\n"
        "optimizer = torch.optim.SGD(head.parameters(), lr=0.1)\n"
        "model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(rows))\n"
        "for batch in loader:\n"
        "    accelerator.backward(model(batch).mean())\n"
        "    optimizer.step()\n"
        "    optimizer.zero_grad()\n"
    )
    assert kinds_in(text) == []


def test_a_bare_backward_that_makes_no_difference_is_asked_about() -> None:
    reading = inspect_source(read_text("train.py", TRAIN.format(settings="", backward="loss.backward()")))
    (asked,) = [it for it in reading.unknown if it.kind == "plain-backward"]
    assert "config file" in asked.question
    assert [it.line for it in asked.lines] == [9]


def test_what_a_call_elsewhere_may_have_prepared_is_not_judged() -> None:
    made_here = "model = Net()\n"
    loop = (
        "for batch in loader:\n    optimizer.zero_grad()\n"
        "    accelerator.backward(model(batch).loss)\n    optimizer.step()\n"
    )
    optimizer = "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    start = "accelerator = Accelerator()\nloader = accelerator.prepare(make_loader())\n"
    assert kinds_in(start + made_here + optimizer + loop) == ["unprepared-model"]
    assert kinds_in(start + made_here + optimizer + "share(accelerator, model)\n" + loop) == []


@pytest.mark.parametrize("condition", ["accelerator.is_main_process", "accelerator.process_index == 0",
                                       "not accelerator.process_index", "dist.get_rank() == 0"])  # fmt: skip
def test_a_branch_of_one_process_is_known_by_any_of_its_names(condition: str) -> None:
    text = f"accelerator = Accelerator()\nif {condition}:\n    accelerator.wait_for_everyone()\n"
    assert kinds_in(text) == ["collective-on-some-ranks"]


def test_what_follows_an_early_return_of_the_others_is_for_the_main_process() -> None:
    text = (
        "def end(accelerator):\n"
        "    if not accelerator.is_main_process:\n        return\n"
        "    accelerator.wait_for_everyone()\n"
    )
    assert kinds_in(text) == ["collective-on-some-ranks"]
