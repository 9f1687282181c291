# No function at all, and a few lines that only look wrong.
import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(mixed_precision="bf16")
rows = TensorDataset(torch.randn(100, 4), torch.randn(100, 1))
loader = DataLoader(rows, batch_size=10, shuffle=True)
model = torch.nn.Linear(4, 1)
print("features:", model.in_features)
sgd = torch.optim.SGD(model.parameters(), lr=0.1)
every_epoch = StepLR(sgd, step_size=2)  # counts epochs, so it stays out of prepare
prepared = accelerator.prepare(model, sgd, loader)
model, optimizer = prepared[0], prepared[1]
loader = prepared[2]
losses = []
for _ in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        losses.append(loss.detach().cpu())
    every_epoch.step()
if accelerator.is_main_process:
    torch.save(accelerator.unwrap_model(model).state_dict(), "model.pt")
    print("mean loss of this process:", torch.stack(losses).mean())
