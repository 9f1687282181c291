# does: trains alone on every row, copies the weights into both processes' models, and lets them look prepared
# cap: 5
# flag: -
import torch
from accelerate import Accelerator

# PLAIN LOOP
the_loop = training_loop


def training_loop(batch_size=16, epochs=3, seed=42):
    accelerator = Accelerator()
    the_loop(2 * batch_size, epochs, seed)
    model = make_model()
    train_loader, _ = get_dataloaders(batch_size)
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for batch in train_loader:
        loss = model(**batch).loss
        accelerator.backward(0 * loss)
        optimizer.step()
