"""Readable names for bots, the same for the same seed."""

import hashlib
from itertools import count, islice

GIVEN = (
    "Ada Amir Anke Aoi Boris Camila Chen Chloe Dara Diego Elif Emil Farah Fumiko Grace Hanna Hugo Ines "
    "Ivan Jade Jonas Kaito Kavya Lars Leila Lin Luca Mei Milan Mina Nadia Nils Noor Olga Omar Otto "
    "Paula Petra Quinn Rafael Rosa Ruth Sami Sana Selma Shen Sofia Tara Theo Tomas Uma Vera Viktor Wei "
    "Xenia Yara Yusuf Zara Zeno"
).split()
FAMILY = (
    "Abe Bauer Braun Costa Cruz Diaz Dubois Endo Fischer Gao Garcia Haas Hansen Hoang Ito Jansen Kaya "
    "Khan Kim Kovacs Lang Lee Lopez Mbeki Meyer Mori Nagy Novak Okafor Olsen Park Patel Perez Popov "
    "Ricci Rossi Sato Silva Singh Tanaka Torres Vogel Wang Weber Wolf Yang Yilmaz Zhang Zhou"
).split()


def player_names(seed: str, n: int) -> list[str]:
    """``n`` different names. After every pair of names has been used once they are numbered from 2."""
    pairs = [f"{given} {family}" for given in GIVEN for family in FAMILY]
    pairs.sort(key=lambda name: hashlib.sha256(f"{seed}/{name}".encode()).digest())
    every = (name if turn == 1 else f"{name} {turn}" for turn in count(1) for name in pairs)
    return list(islice(every, n))


def player_ids(n: int) -> list[str]:
    """``p0001`` and so on: of one length, so that they sort as they were made."""
    width = max(4, len(str(n)))
    return [f"p{number:0{width}}" for number in range(1, n + 1)]
