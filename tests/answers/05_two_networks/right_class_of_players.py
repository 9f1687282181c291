# why: V8 a class with the accelerator in it

class Game:
    def __init__(self, batch_size):
        self.accelerator = Accelerator()
        loader, _ = get_dataloaders(batch_size)
        maker, judge = make_models()
        adam = lambda net, rate: torch.optim.Adam(net.parameters(), lr=rate, betas=BETAS)
        self.maker, self.judge, self.maker_adam, self.judge_adam, self.loader = self.accelerator.prepare(
            maker, judge, adam(maker, GENERATOR_RATE), adam(judge, DISCRIMINATOR_RATE), loader
        )

    def learn(self, pictures, real):
        self.accelerator.backward(score_loss(self.judge(pictures), real))

    def round(self, real, noise):
        self.judge_adam.zero_grad()
        self.learn(real, True)
        made = self.maker(noise)
        self.learn(made.detach(), False)
        self.judge_adam.step()
        self.maker_adam.zero_grad()
        self.learn(made, True)
        self.maker_adam.step()


def training_loop(batch_size=32, epochs=30, seed=42):
    set_seed(seed)
    game = Game(batch_size)
    for _ in range(epochs):
        for batch in game.loader:
            game.round(batch["image"], batch["noise"])
    return game.accelerator.unwrap_model(game.maker)
