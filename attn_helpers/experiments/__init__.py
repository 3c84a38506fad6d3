"""Long computations whose results are stored in `book/data/`, one line a finished run.

`python -m attn_helpers.experiments` lists them; `stored("name")` reads one's rows in a notebook.
Each is declared beside this file as an `Experiment`, in a tuple `EXPERIMENTS`.
"""

from attn_helpers.experiments.definition import Experiment
from attn_helpers.experiments.store import stored

__all__ = ["Experiment", "stored"]
