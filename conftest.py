"""What every test and every notebook that nbval runs needs: the environment of other processes."""

import os
from pathlib import Path

from tools.kernel import prepare_environment

prepare_environment()
lean = str(Path(__file__).with_name("tests") / "quick")  # for workers and what they start
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (lean, os.environ.get("PYTHONPATH"))))
