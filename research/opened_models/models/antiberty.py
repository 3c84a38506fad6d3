"""antiberty: a BERT that was trained on 558 million antibodies."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from research.opened_models import masked
from research.opened_models.attention import Factor, Scored, See

PACKAGE = "antiberty==0.1.3"  # 1.0.0 has no weights inside
FILE = "antiberty/trained_models/AntiBERTy_md_smooth/pytorch_model.bin"
SHA256 = "f1ae33eac8cc8784a7d4be5a600141d2fa7bc7d8d5b3f5324d64a6a63bd0f137"
LICENCE = "MIT, in the package"
NEEDS = masked.NEEDS
D = 64
INPUT = "120 antibodies, germline-like with a random loop; 15 % of the letters hidden"
UNIT = "hidden letter"
START = [512, 0.02]  # a token's width and its weights' standard deviation, by config.json

# Human heavy chains, written from memory, up to the third loop, which each body makes at random.
GENES = """
QVQLVQSGAEVKKPGASVKVSCKASGYTFTGYYMHWVRQAPGQGLEWMGWINPNSGGTNYAQKFQGRVTMTRDTSISTAYMELSRLRSDDTAVYYCAR
QVQLVQSGAEVKKPGSSVKVSCKASGGTFSSYAISWVRQAPGQGLEWMGGIIPIFGTANYAQKFQGRVTITADESTSTAYMELSSLRSEDTAVYYCAR
EVQLVESGGGLVQPGGSLRLSCAASGFTFSSYWMSWVRQAPGKGLEWVANIKQDGSEKYYVDSVKGRFTISRDNAKNSLYLQMNSLRAEDTAVYYCAR
EVQLLESGGGLVQPGGSLRLSCAASGFTFSSYAMSWVRQAPGKGLEWVSAISGSGGSTYYADSVKGRFTISRDNSKNTLYLQMNSLRAEDTAVYYCAK
QVQLVESGGGVVQPGRSLRLSCAASGFTFSSYGMHWVRQAPGKGLEWVAVISYDGSNKYYADSVKGRFTISRDNSKNTLYLQMNSLRAEDTAVYYCAK
QVQLQQWGAGLLKPSETLSLTCAVYGGSFSGYYWSWIRQPPGKGLEWIGEINHSGSTNYNPSLKSRVTISVDTSKNQFSLKLSSVTAADTAVYYCAR
QLQLQESGPGLVKPSETLSLTCTVSGGSISSSSYYWGWIRQPPGKGLEWIGSIYYSGSTYYNPSLKSRVTISVDTSKNQFSLKLSSVTAADTAVYYCAR
EVQLVQSGAEVKKPGESLKISCKGSGYSFTSYWIGWVRQMPGKGLEWMGIIYPGDSDTRYSPSFQGQVTISADKSISTAYLQWSSLKASDTAMYYCAR
""".split()  # noqa: SIM905
ENDS = ("YFDYWGQGTLVTVSS", "AFDIWGQGTMVTVSS", "YYYGMDVWGQGTTVTVSS")


def antibodies() -> list[str]:
    """Return 120 heavy chains: each gene with 15 random loops, and six letters mutated in each."""
    rng, made = np.random.default_rng(64), []
    kinds = list("ACDEFGHIKLMNPQRSTVWY")
    for gene in GENES:
        for turn in range(15):
            body = list(gene)
            for place in rng.choice(len(body), 6, replace=False):
                body[place] = str(rng.choice(kinds))
            loop = rng.choice(list("DGSYRVAWTPL"), rng.integers(4, 11))
            made.append("".join([*body, *loop, ENDS[turn % 3]]))
    return made


def measure(file: Path, factors: Sequence[Factor], see: See) -> Iterator[Scored]:
    """Yield of each antibody what is said of its hidden letters."""
    from transformers import BertForMaskedLM

    model = BertForMaskedLM.from_pretrained(file.parent, attn_implementation="sdpa").eval()
    words = (file.parents[1] / "vocab.txt").read_text("utf-8").splitlines()
    number = {word: i for i, word in enumerate(words)}
    texts = [[number[x] for x in ("[CLS]", *one, "[SEP]")] for one in antibodies()]
    yield from masked.losses(model, texts, number["[MASK]"], factors, see)
