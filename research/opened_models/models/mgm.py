"""MGM: a GPT-2 that reads the genera of bacteria of a sample, from the most unusual on."""

import csv
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from research.opened_models import causal, masked
from research.opened_models.attention import Scored, See

PACKAGE = "microformer-mgm==0.5.8"
FILE = "mgm/resources/general_model/pytorch_model.bin"
SHA256 = "7a83b442dcb0cbe2a4248ea9922de58e15edfa3a1ad71d07519dc8594f4511b8"
LICENCE = "MIT, in the package"
NEEDS = masked.NEEDS
D = 32
INPUT = "120 samples, made from our own lists of genera of six places, with random shares"
UNIT = "genus"
START = [256, 0.02]  # a token's width and its weights' standard deviation, by config.json

# Written from memory, about from the most common on.
PLACES = {
    "gut": """Bacteroides Faecalibacterium Prevotella Blautia Roseburia Ruminococcus Alistipes
        Bifidobacterium Eubacterium Coprococcus Dorea Parabacteroides Akkermansia Lachnospira
        Clostridium Subdoligranulum Oscillibacter Collinsella Dialister Phascolarctobacterium
        Sutterella Bilophila Streptococcus Escherichia Veillonella Barnesiella Odoribacter
        Anaerostipes Butyricimonas Desulfovibrio Lactobacillus Haemophilus Megamonas Turicibacter
        Catenibacterium Holdemania Eggerthella Paraprevotella""",
    "mouth": """Streptococcus Prevotella Veillonella Neisseria Haemophilus Rothia Fusobacterium
        Porphyromonas Actinomyces Gemella Granulicatella Leptotrichia Capnocytophaga
        Campylobacter Corynebacterium Alloprevotella Lautropia Aggregatibacter Treponema
        Tannerella Selenomonas Oribacterium Megasphaera Atopobium Solobacterium Stomatobaculum
        Kingella Cardiobacterium Abiotrophia Dialister Filifactor Peptostreptococcus
        Catonella Bergeyella Mogibacterium Parvimonas""",
    "skin": """Cutibacterium Staphylococcus Corynebacterium Streptococcus Micrococcus Kocuria
        Acinetobacter Anaerococcus Finegoldia Peptoniphilus Paracoccus Brevibacterium
        Enhydrobacter Moraxella Rothia Dermacoccus Pseudomonas Lactobacillus Kytococcus
        Brachybacterium Janibacter Sphingomonas Methylobacterium Roseomonas Deinococcus
        Chryseobacterium Nocardioides Haemophilus Actinomyces Neisseria Bacillus Veillonella
        Dietzia Gordonia""",
    "soil": """Bradyrhizobium Sphingomonas Streptomyces Bacillus Pseudomonas Nocardioides
        Gemmatimonas Burkholderia Mycobacterium Rhizobium Mesorhizobium Flavobacterium
        Arthrobacter Massilia Lysobacter Solirubrobacter Gaiella Rhodoplanes Pedobacter
        Variovorax Devosia Paenibacillus Nitrospira Haliangium Opitutus Chitinophaga
        Steroidobacter Phenylobacterium Terrimonas Luteimonas Blastococcus Caulobacter Gemmata
        Pirellula Hyphomicrobium Rubrobacter Agromyces Microvirga""",
    "sea": """Pelagibacter Prochlorococcus Synechococcus Polaribacter Roseobacter Alteromonas
        Vibrio Pseudoalteromonas Sulfitobacter Marinobacter Flavobacterium Planktomarina
        Glaciecola Colwellia Oleispira Loktanella Formosa Winogradskyella Tenacibaculum
        Shewanella Psychrobacter Halomonas Erythrobacter Ruegeria Oceanicola Maribacter
        Lentisphaera Rhodopirellula Photobacterium Marinomonas Alcanivorax Thalassospira
        Idiomarina Phaeobacter Nitrosopumilus Cellulophaga""",
    "lake": """Polynucleobacter Limnohabitans Flavobacterium Rhodoferax Synechococcus Microcystis
        Pseudomonas Acinetobacter Sediminibacterium Novosphingobium Hydrogenophaga Fluviicola
        Methylotenera Acidovorax Aeromonas Dolichospermum Rhodobacter Arcicella Massilia
        Duganella Janthinobacterium Legionella Prosthecobacter Sphingopyxis Brevundimonas
        Hymenobacter Emticicia Bdellovibrio Methylobacter Roseomonas Planktothrix Gemmatimonas
        Runella Exiguobacterium Lacihabitans Dechloromonas""",
}


def samples(folder: Path) -> list[list[str]]:
    """Return 120 samples, each the names of its genera in the model's order.

    That order is by share, less the mean of a genus and divided by its standard deviation, both
    from the package's table in `folder`, which also says what genera there are.
    """
    with (folder / "phylogeny.csv").open(encoding="utf-8") as file:
        table = {name: (float(mean), float(std)) for name, mean, std in [*csv.reader(file)][1:]}
    rng, made = np.random.default_rng(32), []
    for text in PLACES.values():
        names = [f"g__{name}" for name in text.split() if f"g__{name}" in table]
        for _ in range(20):
            kept = np.flatnonzero(rng.random(len(names)) < 0.75)
            shares = np.exp(-kept / 6 + 1.5 * rng.standard_normal(kept.size))
            shares /= shares.sum()
            found = {
                names[i]: (share - table[names[i]][0]) / table[names[i]][1]
                for i, share in zip(kept, shares, strict=True)
            }
            made.append(sorted(found, key=found.__getitem__, reverse=True))
    return made


class _Words(pickle.Unpickler):
    """Reads the package's tokenizer for its list of tokens, without what it was made of."""

    def find_class(self, module: str, name: str) -> Any:
        return super().find_class(module, name) if module == "collections" else type(name, (), {})


def measure(file: Path, factors: Sequence[float], see: See) -> Iterator[Scored]:
    """Yield of each sample what is said of its genera and its end."""
    from transformers import GPT2LMHeadModel

    model = GPT2LMHeadModel.from_pretrained(file.parent, attn_implementation="sdpa").eval()
    with file.parents[1].joinpath("MicroTokenizer.pkl").open("rb") as packed:
        number = {word: i for i, word in enumerate(_Words(packed).load().toks)}
    every = samples(file.parents[1])
    texts = [[number[x] for x in ("<bos>", *one, "<eos>")] for one in every]
    yield from causal.losses(model, texts, factors, see)
