"""Long computations whose results are stored in `book/data/`, one line a finished run.

`python -m why_sqrt_d.experiments` lists them; `stored("name")` reads one's rows in a notebook.
A chapter declares its own in its module `experiment`, as a tuple `EXPERIMENTS`.
"""

from why_sqrt_d.experiments.definition import Experiment
from why_sqrt_d.experiments.store import select, stored

__all__ = ["Experiment", "select", "stored"]
