"""Long computations whose results are stored in `book/data/`, one line a finished run.

`python -m research.experiments` lists them and runs what is missing; pages read the rows with
`why_sqrt_d.rows.stored`. A module named in `definition.DECLARING` has a tuple `EXPERIMENTS`.
"""

from research.experiments.definition import Experiment

__all__ = ["Experiment"]
