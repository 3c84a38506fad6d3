"""Long computations whose results are stored in `book/data/`, one line a finished run.

`python -m why_sqrt_d.experiments` lists them; `stored("name")` reads one's rows in a notebook.
Each is declared beside this file as an `Experiment`, in a tuple `EXPERIMENTS`.
"""

from why_sqrt_d.experiments.definition import Experiment
from why_sqrt_d.experiments.store import stored

__all__ = ["Experiment", "stored"]
