"""Write an examination's questions and answers: `python -m tools.bank --seed WORD`.

Three files: the questions by objective, the same with answers, and one that Moodle imports. The
seed draws the numbers. It stands in no file but the answers', so keep these to yourself.
"""

import argparse
import html
import re
import secrets
from pathlib import Path
from typing import Any

import yaml

from tools.bank.asked import QUESTIONS, Asked, shown
from tools.paths import BOOK, BUILD

LETTERS = "abcdef"
TOLERANCE = 0.01  # of the number


def objectives() -> list[dict[str, Any]]:
    """Return the teaching guide's objectives."""
    return list(yaml.safe_load((BOOK / "teaching.yml").read_text("utf-8"))["objectives"])


def as_text(asked: Asked) -> str:
    """Return a question as Markdown."""
    rows = zip(LETTERS, asked.choices, strict=False)
    return "\n".join([asked.text, "", *(f"- **{a}** {text}" for a, text in rows)]).strip()


def as_answer(asked: Asked) -> str:
    """Return the answer as Markdown."""
    if isinstance(asked.answer, str):
        letter = LETTERS[asked.choices.index(asked.answer)]
        return f"**{letter}** {asked.answer}. {asked.why}"
    return f"**{shown(asked.answer)}** {asked.why}"


def as_gift(name: str, asked: Asked) -> str:
    """Return a question in Moodle's GIFT format."""
    if isinstance(asked.answer, str):
        reply = " ".join("~="[c == asked.answer] + _gift(c) for c in asked.choices)
    else:
        reply = f"#{asked.answer:.6g}:{abs(asked.answer) * TOLERANCE:.3g}"
    return f"::{name}::[html]{_gift(asked.text)} {{{reply}####{_gift(asked.why)}}}"


def _gift(text: str) -> str:
    """Return Markdown as HTML without GIFT's signs; formulas stand as Moodle has them."""
    parts = re.split(r"(\$[^$]*\$|`[^`]*`)", html.escape(text, quote=False))
    for i, part in enumerate(parts):
        if part.startswith("$"):
            parts[i] = f"\\({part[1:-1]}\\)"
        elif part.startswith("`"):
            parts[i] = f"<code>{part[1:-1]}</code>"
        else:
            parts[i] = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", part)
    return re.sub(r"([\\~=#{}:])", r"\\\1", "".join(parts))


def write_bank(folder: Path, seed: str) -> int:
    """Write the files; return how many questions there are."""
    head = "Numbers count as right within one per cent."
    plain, solved = [f"# Questions\n\n{head}"], [f"# Answers\n\nSeed: {seed}. {head}"]
    gift, number = [f"// {head}"], 0
    for row in objectives():
        title = f"## Chapter {row['chapter']}: {row['text']}"
        plain, solved = [*plain, title], [*solved, title]
        gift.append(f"$CATEGORY: Why root d/Chapter {row['chapter']}/{row['id']}")
        for question in (one for one in QUESTIONS if one.objective == row["id"]):
            number += 1
            found = question.asked(seed)
            plain.append(f"**{number}.** {as_text(found)}")
            solved.append(f"{plain[-1]}\n\n> {as_answer(found)}")
            gift.append(as_gift(f"{number} {question.name.replace('_', ' ')}", found))
    folder.mkdir(parents=True, exist_ok=True)
    for name, parts in {"questions.md": plain, "answers.md": solved, "moodle.gift": gift}.items():
        (folder / name).write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return number


def main() -> None:
    """Write three files into a folder of the seed's name."""
    parser = argparse.ArgumentParser(description="Write an examination's questions and answers.")
    parser.add_argument("--seed", help="a word that only you know (one is made up)")
    seed = parser.parse_args().seed or secrets.token_hex(4)
    out = BUILD / "bank" / "".join(c if c.isalnum() else "-" for c in seed)
    print(f"{write_bank(out, seed)} questions with the numbers of “{seed}”: {out}")


if __name__ == "__main__":
    main()
