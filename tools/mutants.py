"""Change the mathematics and the judges in one place at a time, and see whether a test notices.

`python -m tools.mutants [SECONDS] [SEED]` draws places at random until the time is over and says
which changes no test noticed; `tests/survivors.txt` has those that are known, with the reason.
"""

import ast
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.paths import ROOT

TESTS = {"attn_helpers": "tests/attn_helpers", "why_sqrt_d/exercises": "tests/course/exercises"}
SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And, ast.USub: ast.UAdd,
}  # fmt: skip


def places(tree: ast.AST) -> list[tuple[ast.expr, str, object]]:
    """Return what can be changed: a node, its field, and the new value."""
    found: list[tuple[ast.expr, str, object]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.BoolOp | ast.UnaryOp) and type(node.op) in SWAPS:
            found.append((node, "op", SWAPS[type(node.op)]()))
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            found.append((node, "ops", [SWAPS[type(node.ops[0])](), *node.ops[1:]]))
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            other = not node.value if isinstance(node.value, bool) else node.value + 1
            found.append((node, "value", other))
    return found


def noticed(module: str, text: str, tests: str) -> bool:
    """Whether a test fails with a text in a module's place, or hangs; those that name it first."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("attn_helpers", "why_sqrt_d", "tests", "tools", "conftest.py"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, Path(folder, name))
        for name in ("book", "pyproject.toml", ".venv"):
            Path(folder, name).symlink_to(ROOT / name)
        Path(folder, module).write_text(text)
        words = {Path(module).stem, *(n.name for n in ast.parse(text).body if hasattr(n, "name"))}
        about = {path: path.read_text() for path in Path(folder, tests).glob("test_*.py")}
        count = {path: sum(said.count(word) for word in words) for path, said in about.items()}
        files = sorted(count, key=lambda path: -count[path])
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-pno:cacheprovider"]
        command += map(str, files)
        environment = {"PYTHONPATH": folder, "PATH": "/usr/bin:/bin"}
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, timeout=900
            )
            return done.returncode > 0
        except subprocess.TimeoutExpired:
            return True


def main(seconds: str = "1200", seed: str = "0") -> None:
    """Print the share that is noticed and what is not."""
    rng, end, tried, kept = random.Random(seed), time.monotonic() + float(seconds), 0, 0
    known = (ROOT / "tests/survivors.txt").read_text("utf-8")
    modules = [
        (path.relative_to(ROOT).as_posix(), tests)
        for folder, tests in TESTS.items()
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    sizes = [(ROOT / module).stat().st_size for module, _ in modules]
    while time.monotonic() < end:
        [(module, tests)] = rng.choices(modules, sizes)
        text = (ROOT / module).read_text("utf-8")
        if found := places(tree := ast.parse(text)):
            node, field, value = rng.choice(found)
            before = f"{text.splitlines()[node.lineno - 1].strip()}: {ast.unparse(node)}"
            setattr(node, field, value)
            said = f"{module}: {before} → {ast.unparse(node)}"
            if said in known:
                continue
            tried += 1
            if not noticed(module, ast.unparse(tree), tests):
                kept += 1
                print(f"{said} (line {node.lineno})", flush=True)
    print(f"{tried - kept} of {tried} changes were noticed")


if __name__ == "__main__":
    main(*sys.argv[1:])
