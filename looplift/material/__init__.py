"""What the lessons train on: drawn pets, sentence pairs, reviews, and models that learn them in seconds.

Every module reads files that ship with the kit and needs no network; `real` holds the downloaded originals.
Import the module you need: this package imports none of them, since some take a second to import.
"""
