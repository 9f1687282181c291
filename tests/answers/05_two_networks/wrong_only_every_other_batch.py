# fails: one_training
# says: of the steps
# kind: the generator steps at every other batch

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
        for number, batch in enumerate(train_loader):
            real, noise = batch["image"], batch["noise"]
            d_optimizer.zero_grad()
            accelerator.backward(score_loss(discriminator(real), True))
            made = generator(noise)
            accelerator.backward(score_loss(discriminator(made.detach()), False))
            d_optimizer.step()
            if number % 2:
                continue
            g_optimizer.zero_grad()
            loss = score_loss(discriminator(made), True)
            accelerator.backward(loss)
            g_optimizer.step()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")
    return generator
