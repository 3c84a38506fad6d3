"""chython-rxnmap: which atom of a reaction's product was which before; a transformer on graphs.

Eight layers look within molecules, with heads of 64, then eight across the arrow, with heads of
256. A layer within molecules adds a learned number for each distance to its logits, which is not
multiplied: at a factor of zero it stays.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from research.opened_models.attention import Scored, See
from research.opened_models.models import rxnmapper

PACKAGE = "chython-rxnmap==2.0"
FILE = "chython_rxnmap/rxnmap.onnx"
SHA256 = "a4c60aba5c3524dda96ea3af9e1487d3fb09a4e376604e506b1f0064cfcef2e0"
LICENCE = "LGPL-3.0-or-later, in the package"
NEEDS = ("onnx==1.19.1", "onnxruntime==1.23.2", "numpy==2.2.6", "rdkit==2025.9.1")
D = 64
WIDE = 256  # of the heads across the arrow
INPUT = "rxnmapper's 120 reactions; a target is a place, so there is no guess"
UNIT = "product atom"
GUESSED = False
START = None  # of its weights' start nothing is said in the package
FARTHEST, MOST = 10, 14  # bonds between two atoms, neighbours of one; more count as these


def labelled() -> list[tuple[str, list[str], list[str]]]:
    """Return reactions as SMILES, with a label for each atom of its reactants and products.

    A product's atom has the label of the atom that it was before.
    """

    def side(*pieces: tuple[str, str]) -> tuple[str, list[str]]:
        labels = [
            f"{name} {i}"
            for text, name in pieces
            for i, x in enumerate(rxnmapper.LETTER.findall(text))
            if x[0].isalpha()
        ]
        return "".join(text for text, _ in pieces), labels

    sides = []
    for ring in rxnmapper.RINGS:
        left, right = zip(ring.split("{}"), ("left", "right"), strict=True)
        for amine, (group, leaves) in product(
            rxnmapper.AMINES, (("C(=O)", "O"), ("S(=O)(=O)", "Cl"))
        ):
            kept, new = (group, "group"), (amine, "new")
            before = side(left, kept, (leaves, "leaves"), right, (".", ""), new)
            sides.append((before, side(left, kept, new, right)))
        for other in rxnmapper.HUNG:
            before = side(left, ("Br", "leaves"), right, (".OB(O)", "boron"), (other, "new"))
            sides.append((before, side(left, ("-", ""), (other, "new"), right)))
        for alkyl in rxnmapper.ALKYLS:
            before = side(left, ("O", "kept"), right, (".Br", "leaves"), (alkyl, "new"))
            sides.append((before, side(left, ("O", "kept"), (alkyl, "new"), right)))
    return [(f"{x}>>{y}", before, after) for (x, before), (y, after) in sides]


def encoded(smiles: str) -> tuple[dict[str, Any], list[Any], Any]:
    """Return the graph's inputs, the places of reactants' and products' atoms, and likes.

    `likes` (reactants' atoms,) has one number for atoms that nothing tells apart. How a reaction
    is handed over we read in chython: a mark for it, one for each molecule, then the molecules'
    atoms, each by its element, its neighbours with hydrogens, its distances and its side.
    """
    from rdkit import Chem

    sides = [Chem.MolFromSmiles(side) for side in smiles.split(">>")]
    atoms, near, roles, blocks = [0], [0], [1], [np.ones((1, 1), int)]
    for role, side in enumerate(sides, 2):
        for molecule in Chem.GetMolFrags(side, asMols=True):
            each = list(molecule.GetAtoms())
            atoms += [1, *(x.GetAtomicNum() + 2 for x in each)]
            near += [0, *(min(x.GetDegree() + x.GetTotalNumHs(), MOST) + 2 for x in each)]
            roles += [0, *[role] * len(each)]
            block = np.ones((len(each) + 1, len(each) + 1), int)
            far = np.minimum(Chem.GetDistanceMatrix(molecule), FARTHEST)
            block[1:, 1:] = far.astype(int) + 2
            blocks.append(block)
    ends = np.cumsum([len(x) for x in blocks])
    distances = np.zeros((ends[-1], ends[-1]), int)
    for end, block in zip(ends, blocks, strict=True):
        distances[end - len(block) : end, end - len(block) : end] = block
    given = {"atoms": atoms, "neighbors": near, "distances": distances, "roles": roles}
    places = [np.flatnonzero(np.array(roles) == role) for role in (2, 3)]
    likes = np.array(Chem.CanonicalRankAtoms(sides[0], breakTies=False))
    return {name: np.array(x)[None] for name, x in given.items()}, places, likes


def measure(file: Path, factors: Sequence[float], see: See) -> Iterator[Scored]:
    """Yield of each reaction what is said of its product's atoms.

    An atom's chances are the last layer's weights as the package reads them: from product to
    reactant and back, added, between atoms of one element; atoms that nothing tells apart share.
    Where a factor is √64, the heads of 256 get √256: the division of each is undone.
    """
    import onnx

    from research.opened_models.onnx_graph import open_graph, runner

    model = onnx.load(file)
    layers = open_graph(model)
    shown = [name for at in layers for name in (at.logits, at.query, at.key)]
    run = runner(model)
    for smiles, before, after in labelled():
        given, (old, new), likes = encoded(smiles)
        element = given["atoms"][0]
        right = likes == likes[[before.index(x) for x in after]][:, None]  # (products, reactants)
        losses, hits = list[float](), list[float]()
        for m in factors:
            wide = m * (WIDE / D) ** 0.5 if m == factors[-1] else m
            each = [m] * 8 + [wide] * 8
            weights, *rest = run(["attention", *(shown if m == 1 else [])], given, each)
            found = iter(rest)
            for layer, (logits, query, key) in enumerate(zip(found, found, found, strict=True)):
                see(layer, logits[0], query[0], key[0].swapaxes(-1, -2))
            both = weights[np.ix_(new, old)] + weights[np.ix_(old, new)].T
            both = np.where(element[new][:, None] == element[old], both.astype(float), 0)
            chances = (both * right).sum(axis=1) / np.maximum(both.sum(axis=1), 1e-30)
            losses.append(float(-np.log(np.maximum(chances, 1e-30)).sum()))
            hits.append(int(right[np.arange(len(new)), both.argmax(axis=1)].sum()))
        yield Scored(losses, hits, new.tolist())
