"""The course "Why √d?": exercises, figures, stored rows, and a room for each chapter.

The mathematics is in `attn_helpers`, which knows nothing of this package.
"""

import sysconfig
from pathlib import Path

#: The stored rows of the experiments: among the course's files, or where `pip install` puts them.
DATA = Path(__file__).parents[1] / "book" / "data"
if not DATA.is_dir():
    DATA = Path(sysconfig.get_path("data"), "share", "why-sqrt-d", "data")
