# fails: backward
# says: backward is called on the loss itself
# kind: M05

def training_loop(batch_size=32, epochs=30, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, noise_loader = get_dataloaders(batch_size)
    generator, discriminator = make_models()
    g_optimizer = torch.optim.Adam(generator.parameters(), lr=GENERATOR_RATE, betas=BETAS)
    d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=DISCRIMINATOR_RATE, betas=BETAS)
    generator, discriminator, g_optimizer, d_optimizer, train_loader = accelerator.prepare(
        generator, discriminator, g_optimizer, d_optimizer, train_loader
    )
    for epoch in range(epochs):
        for batch in train_loader:
            real, noise = batch["image"], batch["noise"]
            d_optimizer.zero_grad()
            accelerator.backward(score_loss(discriminator(real), True))
            made = generator(noise)
            score_loss(discriminator(made.detach()), False).backward()
            d_optimizer.step()
            g_optimizer.zero_grad()
            loss = score_loss(discriminator(made), True)
            accelerator.backward(loss)
            g_optimizer.step()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")
    return generator
