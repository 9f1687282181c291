"""Draw the course's pets: 12 breeds, 40 JPEG files each, 64 x 64 pixels, named `breed_N.jpg`.

    python data/draw_pets.py            writes data/pets/
    python data/draw_pets.py FOLDER     writes there instead

Nothing is downloaded and nobody's photograph is used. A breed is a coat, a build and a marking; what varies
from file to file is pose, size, place, light, colour, background, blur and noise. Everything random comes from
`random.Random` seeded with the file's name, so one file never depends on another and a second run draws the
same pixels. The last bytes of a JPEG depend on the encoder in the installed Pillow, not on this program.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter

Colour = tuple[int, int, int]

SIZE = 64  # pixels of a finished picture
PER_BREED = 40
QUALITY = 88
_BIG = 256  # drawn this large, then shrunk: smooth edges
_GROUND = 196  # where the paws stand


@dataclass(frozen=True)
class Breed:
    """How a breed looks. `legs`, `girth` and `length` are pixels on the 256-pixel canvas."""

    name: str
    coat: Colour
    second: Colour
    marking: str  # plain, saddle, spots, stripes, speckles, points, belly or mask
    ears: str  # pointed, floppy, long or round
    tail: str  # thin, bushy, curled or short
    legs: int = 44
    girth: int = 52
    length: int = 104
    snout: int = 22
    fluff: int = 0


BREEDS = (
    Breed("abyssinian", (226, 172, 70), (206, 140, 52), "plain", "pointed", "thin", 50, 42, 100, 8),
    Breed("basset_hound", (150, 84, 44), (244, 236, 222), "belly", "long", "thin", 20, 50, 128, 32),
    Breed("beagle", (196, 124, 72), (48, 38, 36), "saddle", "floppy", "thin", 42, 46, 96, 26),
    Breed("egyptian_mau", (160, 166, 156), (46, 44, 44), "spots", "pointed", "thin", 50, 42, 104, 8),
    Breed("english_setter", (244, 238, 228), (190, 96, 40), "speckles", "long", "bushy", 54, 50, 112, 30),
    Breed("great_pyrenees", (248, 246, 240), (232, 224, 210), "plain", "floppy", "bushy", 46, 72, 116, 24, 9),
    Breed("maine_coon", (128, 92, 60), (54, 36, 26), "stripes", "pointed", "bushy", 40, 58, 110, 10, 7),
    Breed("pug", (226, 180, 122), (44, 36, 36), "mask", "round", "curled", 32, 56, 78, 6),
    Breed("russian_blue", (92, 118, 170), (112, 138, 186), "plain", "pointed", "thin", 48, 42, 100, 8),
    Breed("scottish_terrier", (42, 40, 42), (92, 88, 86), "belly", "pointed", "short", 18, 54, 92, 34, 6),
    Breed("shiba_inu", (222, 124, 50), (250, 236, 212), "belly", "pointed", "curled", 44, 50, 90, 20),
    Breed("siamese", (238, 218, 188), (70, 50, 44), "points", "pointed", "thin", 50, 40, 102, 10),
)


def jitter(colour: Colour, rng: Random, by: int) -> Colour:
    """A colour near this one."""
    light = rng.randint(-by, by)
    red, green, blue = (max(0, min(255, part + light + rng.randint(-by // 2, by // 2))) for part in colour)
    return red, green, blue


def _quiet_colour(rng: Random) -> Colour:
    """A washed-out colour, such as walls and lawns have."""
    light = rng.randint(105, 205)
    return light + rng.randint(-24, 24), light + rng.randint(-14, 30), light + rng.randint(-24, 24)


def _oval(x: float, y: float, wide: float, high: float) -> tuple[float, float, float, float]:
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def _background(rng: Random) -> Image.Image:
    """A wall, a floor and things lying about, all in colours that say nothing about the breed."""
    wall, floor = _quiet_colour(rng), _quiet_colour(rng)
    picture = Image.new("RGB", (_BIG, _BIG), wall)
    pen = ImageDraw.Draw(picture)
    for _ in range(rng.randint(2, 6)):
        x, y = rng.randint(0, _BIG), rng.randint(0, 170)
        box = _oval(x, y, rng.randint(20, 110), rng.randint(20, 110))
        (pen.ellipse if rng.random() < 0.5 else pen.rectangle)(box, fill=jitter(wall, rng, 24))
    pen.rectangle((0, rng.randint(160, 200), _BIG, _BIG), fill=floor)
    for _ in range(rng.randint(1, 4)):
        x, y = rng.randint(0, _BIG), rng.randint(200, _BIG)
        pen.ellipse(_oval(x, y, rng.randint(10, 60), rng.randint(8, 30)), fill=jitter(floor, rng, 24))
    return picture.reduce(_BIG // SIZE).filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 1.0)))


class _Sketch:
    """One animal on a transparent canvas, looking to the right."""

    def __init__(self, breed: Breed, rng: Random) -> None:
        self.breed, self.rng = breed, rng
        self.coat = jitter(breed.coat, rng, 16)
        self.second = jitter(breed.second, rng, 14)
        self.layer = Image.new("RGBA", (_BIG, _BIG))
        self.pen = ImageDraw.Draw(self.layer)
        self.girth = breed.girth * rng.uniform(0.9, 1.1)
        self.length = breed.length * rng.uniform(0.9, 1.1)
        self.y = _GROUND - breed.legs * rng.uniform(0.9, 1.1) - self.girth * 0.4
        self.x = 116.0
        self.head = (self.x + self.length * 0.52 + rng.uniform(-4, 8), self.y - 34 + rng.uniform(-16, 18))

    def draw(self) -> Image.Image:
        self._tail()
        self._legs()
        self._trunk()
        self._head()
        return self.layer

    def _tail(self) -> None:
        x, y, rng = self.x - self.length * 0.48, self.y - 6, self.rng
        fill = self.second if self.breed.marking == "points" else self.coat
        lift = rng.uniform(14, 46)
        if self.breed.tail == "curled":
            self.pen.ellipse(_oval(x - 2, y - 18, 36, 36), fill=fill)
            self.pen.ellipse(_oval(x + 1, y - 17, 12, 12), fill=self.second)
        elif self.breed.tail == "short":
            self.pen.polygon([(x + 8, y + 8), (x - 12, y - lift * 0.7), (x + 14, y - 8)], fill=fill)
        else:
            width = 11 if self.breed.tail == "thin" else 26
            for step in range(14):
                along = step / 13
                bend = math.sin(along * math.pi) * 10
                box = _oval(x - along * 44 + bend * 0.4, y - along * lift + bend, width, width)
                self.pen.ellipse(box, fill=fill)

    def _legs(self) -> None:
        fill = self.second if self.breed.marking in ("points", "belly") else self.coat
        for share in (-0.38, -0.24, 0.22, 0.38):
            x = self.x + share * self.length + self.rng.uniform(-7, 7)
            foot = x + self.rng.uniform(-8, 8)
            top = self.y + 4
            self.pen.line([(x, top), (foot, _GROUND)], fill=self.coat, width=17)
            self.pen.line([((x + foot) / 2, (top + _GROUND) / 2), (foot, _GROUND)], fill=fill, width=15)
            self.pen.ellipse(_oval(foot + 3, _GROUND, 21, 12), fill=fill)

    def _trunk(self) -> None:
        mask = Image.new("L", (_BIG, _BIG))
        shape = ImageDraw.Draw(mask)
        shape.ellipse(_oval(self.x, self.y, self.length, self.girth), fill=255)
        shape.ellipse(_oval(self.x + self.length * 0.34, self.y - 4, self.girth, self.girth), fill=255)
        shape.ellipse(_oval(self.x - self.length * 0.3, self.y, self.girth, self.girth * 0.95), fill=255)
        if self.breed.fluff:
            for step in range(26):
                angle = step / 26 * math.tau
                x = self.x + math.cos(angle) * self.length * 0.52
                y = self.y + math.sin(angle) * self.girth * 0.48
                puff = self.breed.fluff * self.rng.uniform(1.6, 3.0)
                shape.ellipse(_oval(x, y, puff, puff), fill=255)
        neck = [(self.x + self.length * 0.3, self.y - 4), self.head]
        shape.line(neck, fill=255, width=int(self.girth * 0.55))
        skin = Image.new("RGBA", (_BIG, _BIG), (*self.coat, 255))
        self._mark(ImageDraw.Draw(skin))
        self.layer.paste(skin, (0, 0), mask)

    def _mark(self, pen: ImageDraw.ImageDraw) -> None:
        """Paint the marking over the whole skin; the trunk's mask cuts it out."""
        rng, second, left = self.rng, self.second, self.x - self.length * 0.6
        kind, width = self.breed.marking, self.length * 1.2
        if kind == "belly":
            box = _oval(self.x + 10, self.y + self.girth * 0.42, self.length * 1.3, self.girth * 0.7)
            pen.ellipse(box, fill=second)
        elif kind == "saddle":
            pen.ellipse(
                _oval(self.x - 6, self.y - self.girth * 0.3, self.length * 0.8, self.girth * 0.8), second
            )
        elif kind == "stripes":
            count = 9
            for step in range(count):
                x = left + width * (step + rng.uniform(0.1, 0.9)) / count
                lean = rng.uniform(-8, 8)
                pen.line([(x, self.y - 50), (x + lean, self.y + 50)], fill=second, width=rng.randint(4, 8))
        elif kind in ("spots", "speckles"):
            count, low, high = (26, 9, 15) if kind == "spots" else (60, 4, 8)
            for _ in range(count):
                x, y = left + width * rng.random(), self.y + self.girth * rng.uniform(-0.6, 0.6)
                across = rng.uniform(low, high)
                pen.ellipse(_oval(x, y, across, across), fill=second)

    def _head(self) -> None:
        (x, y), breed, rng = self.head, self.breed, self.rng
        dark = breed.marking in ("points", "mask")
        face = self.second if dark else self.coat
        size = 46 + breed.fluff
        self._ears(x, y, self.second if dark or breed.marking == "saddle" else self.coat)
        self.pen.ellipse(_oval(x, y, size, size * 0.94), fill=self.coat)
        muzzle = self.second if breed.marking == "belly" else face
        reach = breed.snout + 10
        self.pen.ellipse(_oval(x + 14 + breed.snout * 0.5, y + 8, reach + 10, 22), fill=muzzle)
        if dark:
            self.pen.ellipse(_oval(x + 10, y + 5, 28, 26), fill=face)
        tip = x + 16 + breed.snout
        self.pen.ellipse(_oval(tip, y + 4, 9, 8), fill=(30, 24, 26))
        iris = (250, 206, 70) if breed.snout <= 10 else (34, 26, 24)
        shift = rng.uniform(-2, 2)
        self.pen.ellipse(_oval(x + 6 + shift, y - 6, 10, 10), fill=iris)
        self.pen.ellipse(_oval(x + 7 + shift, y - 6, 5, 6), fill=(12, 10, 12))

    def _ears(self, x: float, y: float, fill: Colour) -> None:
        droop = self.rng.uniform(-4, 6)
        for side in (-14, 8):
            base = x + side
            if self.breed.ears == "pointed":
                self.pen.polygon(
                    [(base - 9, y - 12), (base + 2, y - 42 - droop), (base + 13, y - 12)], fill=fill
                )
            elif self.breed.ears == "round":
                self.pen.ellipse(_oval(base + 2, y - 20, 20, 20), fill=fill)
            else:
                hang = (62 if self.breed.ears == "long" else 36) + droop
                self.pen.ellipse(_oval(base - 4, y - 14 + hang / 2, 18, hang), fill=fill)


def _photograph(picture: Image.Image, rng: Random) -> Image.Image:
    """What a camera does: light, a tint, focus and grain."""
    picture = ImageEnhance.Brightness(picture).enhance(rng.uniform(0.85, 1.15))
    picture = ImageEnhance.Contrast(picture).enhance(rng.uniform(0.85, 1.15))
    picture = ImageEnhance.Color(picture).enhance(rng.uniform(0.7, 1.25))
    picture = picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.0, 0.6)))
    grain = Image.frombytes("RGB", (SIZE, SIZE), rng.randbytes(SIZE * SIZE * 3))
    return ImageChops.add(picture, grain.point([level // 14 for level in range(256)] * 3), offset=-9)


def draw(breed: Breed, rng: Random) -> Image.Image:
    """One picture of this breed, 64 x 64 RGB. The same `rng` state draws the same picture."""
    animal = _Sketch(breed, rng).draw()
    if rng.random() < 0.5:
        animal = animal.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    animal = animal.rotate(rng.uniform(-10, 10), Image.Resampling.BILINEAR, center=(_BIG // 2, 150))
    side = round(SIZE * rng.uniform(1.0, 1.3))
    animal = animal.resize((side, side), Image.Resampling.LANCZOS)
    picture = _background(rng)
    corner = (SIZE - side) // 2
    place = corner + rng.randint(-5, 5), corner + rng.randint(-5, 3)
    picture.paste(animal, place, animal)
    return _photograph(picture, rng)


def pictures(breeds: tuple[Breed, ...] = BREEDS, each: int = PER_BREED) -> Iterator[tuple[str, Image.Image]]:
    """(file name, picture) of `each` pictures per breed, numbered from 1."""
    for breed in breeds:
        for number in range(1, each + 1):
            name = f"{breed.name}_{number}.jpg"
            yield name, draw(breed, Random(f"looplift {name}"))


def write_pets(folder: Path) -> int:
    """Draw every pet of the course into `folder`; how many files that made."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, picture in pictures():
        picture.save(folder / name, "JPEG", quality=QUALITY)
        count += 1
    return count


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "pets"
    print(f"drew {write_pets(target)} pets in {target}")
