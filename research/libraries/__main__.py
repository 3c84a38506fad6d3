"""``python -m research.libraries [NAME…]``: audit what is not stored yet, or NAME once more.

Each library has an environment of its own (uv makes and forgets it). One that does not install, or
ends with an error, is a row that says so, and is tried again only by its name.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from research.isolated import TREE, environment, uv_run
from why_sqrt_d.ch8.libraries import STORE
from why_sqrt_d.ch8.libraries import rows as stored

TORCH, JAX, NUMPY = "torch==2.13.0", "in_jax", "in_numpy"
Row = dict[str, Any]


@dataclass(frozen=True)
class Library:
    """A package, its versions (the newest last), the module that wraps it, what else it needs."""

    package: str
    versions: str
    module: str = "in_torch"
    others: str = ""
    backend: str = ""  # Keras's
    python: str = "3.11"
    npm: bool = False  # its function in `module` installs it

    @property
    def name(self) -> str:
        """Its name in the rows."""
        return f"{self.package} on {self.backend}" if self.backend else self.package


LIBRARIES = (
    Library("torch", "2.13.0"),
    Library("jax", "0.4.31 0.12.0.1", JAX, python="3.12"),
    Library("flax", "0.12.12", JAX, python="3.12"),
    Library("equinox", "0.13.8", JAX),
    Library("dm-haiku", "0.0.17", JAX, "jax"),
    Library("haliax", "1.3", JAX, "jax==0.4.31"),
    Library("keras", "3.9.2 3.15.1", NUMPY, TORCH, backend="torch"),
    Library("keras", "3.9.2 3.15.1", NUMPY, "jax", backend="jax"),
    Library("onnx", "1.19.0 1.20.0 1.23.2", NUMPY),
    Library("onnxruntime", "1.23.0 1.24.1 1.32.0", NUMPY, "onnx==1.23.2"),
    Library("onnxruntime-node", "1.30.0", NUMPY, "onnx==1.23.2", npm=True),
    Library("mlx", "0.32.4", NUMPY, "mlx[cpu]"),
    Library("tinygrad", "0.14.0", NUMPY),
    Library("openvino", "2026.4.1", NUMPY),
    Library("paddlepaddle", "3.3.1", NUMPY, "setuptools"),
    Library("x-transformers", "2.31.10"),
    Library("transformers", "5.24.0"),
    Library("diffusers", "0.42.1"),
    Library("timm", "1.0.31"),
    Library("torch-geometric", "2.8.1"),
    Library("fair-esm", "2.0.0"),
    Library("speechbrain", "1.1.2"),
    Library("curated-transformers", "2.0.1"),
    Library("rtdl-revisiting-models", "0.0.2"),
    Library("local-attention", "1.11.2"),
    Library("pytorch-forecasting", "1.8.0"),
    Library("segment-anything", "1.0", others="torchvision"),
    Library("labml-nn", "0.5.1", others="labml<0.5"),
)


def run(library: Library, version: str) -> list[Row]:
    """Return the rows of one version, the last of which says so if it failed."""
    wanted = ["numpy", "ml_dtypes", *library.others.split()]
    wanted += [] if library.npm else [f"{library.package}=={version}"]
    wanted += [TORCH] if library.module == "in_torch" else []
    known = {"VERSION": version, "KERAS_BACKEND": library.backend, "PYTHONUTF8": "1"}
    known["DEV"] = "CPU"  # tinygrad's
    probe = ("python", "-m", "research.libraries.probe")
    about = {"library": library.name, "version": version}
    try:
        done = subprocess.run(
            [*uv_run(library.python, wanted), *probe, library.module, library.package],
            env=environment() | known,
            cwd=TREE,
            timeout=1500,
            capture_output=True,
            text=True,
        )
        said, code, errors = done.stdout, done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        said, code, errors = "", 1, "it took more than 25 minutes"
    lines = (line.removeprefix("ROW ") for line in said.splitlines() if line[:4] == "ROW ")
    rows = [about | json.loads(line) for line in lines]
    if code:
        print(errors[-3000:], file=sys.stderr)
        last = errors.strip().splitlines()[-1][:160] if errors.strip() else f"exit {code}"
        rows.append(about | {"function": "", "behaviour": "run", "value": "failed", "note": last})
    return rows


def stored_rows() -> dict[tuple[str, str], list[Row]]:
    """Return the stored rows by library and version."""
    known: dict[tuple[str, str], list[Row]] = {}
    for row in stored(STORE) if STORE.exists() else ():
        known.setdefault((row["library"], row["version"]), []).append(row)
    return known


def main(names: list[str]) -> None:
    """Run what is asked for; after each version the file is replaced by a whole one."""
    if unknown := {*names} - {x.name for x in LIBRARIES}:
        raise SystemExit(f"unknown: {', '.join(unknown)}; known: {[x.name for x in LIBRARIES]}")
    order = [(x, version) for x in LIBRARIES for version in x.versions.split()]
    for library, version in order:
        if (library.name in names) if names else ((library.name, version) not in stored_rows()):
            print(library.name, version, flush=True)
            found = run(library, version)
            known, key = stored_rows(), (library.name, version)
            if not any(row["function"] for row in found) and key in known:
                print(f"it failed, what is stored stays: {found[-1]['note']}")
                continue
            known |= {key: found}
            rows = (row for x, number in order for row in known.get((x.name, number), []))
            new = STORE.with_suffix(".new")
            new.write_text(
                "".join(json.dumps(x, ensure_ascii=False) + "\n" for x in rows), "utf-8"
            )
            new.replace(STORE)


if __name__ == "__main__":
    main(sys.argv[1:])
