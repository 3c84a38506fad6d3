"""rxnmapper: chemical reactions in SMILES; an ALBERT, twelve passes through one layer."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from research.opened_models import masked
from research.opened_models.attention import Factor, Scored, See

PACKAGE = "rxnmapper==0.4.3"
FILE = "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k/pytorch_model.bin"
SHA256 = "8541f3f500dae71abe678d546bd035ca946e2d1c819f6b2cf41a97faedd7e6a2"
LICENCE = "MIT, in the package"
NEEDS = masked.NEEDS
D = 32
INPUT = "120 reactions, made from our own templates; 15 % of the letters hidden"
UNIT = "hidden letter"
START = [256, 0.02]  # a token's width and its weights' standard deviation, by config.json

# A letter of SMILES: an atom in brackets or of two letters, an arrow, or a character.
LETTER = re.compile(r"\[[^]]+\]|Br|Cl|>>|.")
RINGS = ("c1ccc({})cc1", "Cc1ccc({})cc1", "COc1ccc({})cc1", "Fc1ccc({})cc1", "c1cc({})ccn1")
HUNG = ("c2ccccc2", "c2ccc(C)cc2", "c2ccc(OC)cc2", "c2ccc(F)cc2", "c2ccncc2")  # the same
AMINES = ("N2CCCCC2", "N2CCOCC2", "NCc2ccccc2", "NC(C)C", "NCCOC", "N(CC)CC")
ALKYLS = ("CC", "CCC", "CC(C)C", "CCOC", "Cc2ccccc2", "CC=C", "CC(=O)OCC")


def reactions() -> list[str]:
    """Return 120 reactions: amides, sulfonamides, couplings of two rings, ethers."""
    made = []
    for ring, amine in product(RINGS, AMINES):
        for group, leaves in (("C(=O){}", "O"), ("S(=O)(=O){}", "Cl")):
            before, after = (ring.format(group.format(x)) for x in (leaves, amine))
            made.append(f"{before}.{amine}>>{after}")
    for ring, other in product(RINGS, HUNG):
        made.append(f"{ring.format('Br')}.OB(O){other}>>{ring.format('-' + other)}")
    for ring, alkyl in product(RINGS, ALKYLS):
        made.append(f"{ring.format('O')}.Br{alkyl}>>{ring.format('O' + alkyl)}")
    return made


def measure(file: Path, factors: Sequence[Factor], see: See) -> Iterator[Scored]:
    """Yield of each reaction what is said of its hidden letters."""
    from transformers import AlbertForMaskedLM

    model = AlbertForMaskedLM.from_pretrained(file.parent, attn_implementation="sdpa").eval()
    words = file.with_name("vocab.txt").read_text("utf-8").splitlines()
    number = {word: i for i, word in enumerate(words)}
    texts = [[number[x] for x in ("[CLS]", *LETTER.findall(one), "[SEP]")] for one in reactions()]
    yield from masked.losses(model, texts, number["[MASK]"], factors, see)
