"""Write an examination's questions and answers: `python -m tools.bank --seed WORD`.

The seed draws the numbers. It stands in no file but the answers', so keep these to yourself.
"""

import argparse
import secrets
import sys
from pathlib import Path

from tools.paths import BUILD

from .write import write_bank


def main(arguments: list[str] | None = None) -> int:
    """Write three files into a folder of the seed's name."""
    parser = argparse.ArgumentParser(description="Write an examination's questions and answers.")
    parser.add_argument("--seed", help="a word that only you know (one is made up)")
    parser.add_argument("--out", type=Path, help="a folder (_build/bank/SEED)")
    options = parser.parse_args(arguments)
    seed = options.seed or secrets.token_hex(4)
    out = options.out or BUILD / "bank" / "".join(c if c.isalnum() else "-" for c in seed)
    count = write_bank(out, seed)
    print(f"{count} questions with the numbers of “{seed}”: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
