# `make book` and `make test` work on a fresh clone; `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
# Two makes at once: the second waits (where there is a `flock`).
ALONE  := $(if $(shell command -v flock),flock --close .)
# Compiling all that is installed takes longer than what is ever imported of it.
PIP    := $(PY) -m pip --disable-pip-version-check --quiet install --no-compile
# uv takes a tenth of pip's time. It does not read pip's settings (a mirror, say): then pip does it.
UV     := $(VENV)/bin/uv
install = $(ALONE) sh -c '$(UV) pip install --quiet --python=$(PY) --require-hashes -r $(1) 2>/dev/null || $(PIP) --require-hashes -r $(1)'
PORT   ?= 8000
export PYTHONUTF8 := 1
export LC_ALL := C.UTF-8
export PIP_USER := 0
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help book test test-processors test-oldest test-newest links lab serve student lite pdf release lint notebooks rows models licences lock clean

help:  ## list these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1|/' | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

book: $(VENV)/.book  ## execute the notebooks and build the site to _build/html
	@$(ALONE) $(PY) -m tools.build_book

NBVAL := --nbval --nbval-current-env --nbval-cell-timeout=600 --nbval-sanitize-with=tests/sanitize.cfg

test: $(VENV)/.test book  ## build the book, then run every test and, with nbval, every notebook
	@$(PY) -m pytest $(NBVAL)

# Kernels of OpenBLAS, NumPy and XLA that a later processor can imitate, the most different first.
Nehalem  := OPENBLAS_CORETYPE=Nehalem NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL AVX512_SPR" XLA_FLAGS=--xla_cpu_max_isa=SSE4_2
Haswell  := OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR" XLA_FLAGS=--xla_cpu_max_isa=AVX2
SkylakeX := OPENBLAS_CORETYPE=SkylakeX
KERNELS  ?= $(shell grep -qsw avx2 /proc/cpuinfo && echo Nehalem Haswell) $(shell grep -qsw avx512bw /proc/cpuinfo && echo SkylakeX)
COMPUTES ?= book tests/claims tests/course tests/research tests/attn_helpers

test-processors: $(VENV)/.test  ## what computes, under other processors' kernels (KERNELS=Nehalem)
	@failed=; $(foreach kernel,$(KERNELS),$($(kernel)) $(PY) -m pytest $(NBVAL) $(COMPUTES) || failed="$$failed $(kernel)";) \
	  test -z "$$failed" || { echo "Failed under:$$failed"; exit 1; }

# The mathematics, the exercises and the claims, in an environment of its own below _build.
define test_elsewhere
	@rm -rf _build/$@ && $(UV) venv --quiet --python=$(PY) _build/$@
	@$(UV) pip install --quiet --python=_build/$@/bin/python --resolution=$(1) --editable '.[check]'
	@_build/$@/bin/python -m pytest tests/attn_helpers tests/course/exercises tests/claims --ignore=tests/course/exercises/test_page_code.py
endef

test-oldest: $(VENV)/.test  ## the mathematics, exercises and claims on the oldest versions that pyproject.toml admits
	@$(PY) -c 'import sys; sys.exit(sys.version_info > (3, 13))' \
	  || { echo "The oldest versions need Python 3.11 or 3.12: they have no wheels for newer ones."; exit 1; }
	$(call test_elsewhere,lowest-direct)

test-newest: $(VENV)/.test  ## the same on the newest
	$(call test_elsewhere,highest)

links: $(VENV)/.book  ## ask every address that the pages cite whether it answers
	@$(VENV)/bin/jupyter-book build . --builder=linkcheck -q

lab: $(VENV)/.book  ## open the notebooks in JupyterLab
	@$(PY) -m jupyter lab --notebook-dir=book

serve: book  ## build and serve the site on localhost (PORT=8000)
	@echo "http://localhost:$(PORT)/"
	@$(PY) -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

student: $(VENV)/.teach  ## write what a class needs to OUT=a new folder (OWN_NUMBERS=yes: a student's own)
	@$(PY) -m tools.student $(if $(OWN_NUMBERS),--own-numbers) $(if $(OUT),--out "$(OUT)")

lite: $(VENV)/.lite  ## the site with whole notebooks that run in the browser (a minute, 36 MB more)
	@$(PY) -m tools.lite

pdf: $(VENV)/.test book  ## print the course as one PDF, _build/pdf (needs a Chromium)
	@$(PY) -m tools.print_book

release: $(VENV)/.test  ## build what is published to _build/release, if _config.yml says all that it should
	@$(PY) -m tools.release

lint: $(VENV)/.test  ## ruff and the type checker
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

notebooks: $(VENV)/.book  ## execute the notebooks and store them in their normal form
	@$(PY) -m tools.notebooks

rows: $(VENV)/.book  ## run all stored rows of STORE=name once more and compare (JOBS=processes)
	@$(PY) -m research.experiments $(STORE) --again --jobs $(or $(JOBS),1)

models: $(VENV)/.test  ## measure three small released models again and compare (uv fetches them; minutes)
	@$(PY) -m research.opened_models --again rxnmapper minilm rapidocr

licences:  ## list what is shipped, whose it is, and its licence
	@sed '/^-----/Q' LICENSE

LOCK := $(UV) pip compile pyproject.toml --universal --python-version=3.11 --upgrade \
  --generate-hashes --no-emit-index-url --no-strip-extras --no-header --no-annotate --quiet

lock: $(VENV)/.test  ## renew the lock files and environment.yml from pyproject.toml
	@$(LOCK) --extra=book --extra=install --extra=experiments -o requirements/book.txt
	@$(LOCK) --extra=teach -c requirements/book.txt -o requirements/teach.txt
	@$(LOCK) --extra=lite -c requirements/book.txt -o requirements/lite.txt
	@$(LOCK) --extra=book --extra=experiments --extra=teach --extra=test \
	  -c requirements/book.txt -c requirements/teach.txt -o requirements/test.txt
	@$(PY) -m tools.environment

clean:  ## remove everything that was built, the virtual environment too
	rm -rf _build .cache $(VENV) node_modules build *.egg-info

# Made in one go, or removed and made again: a half one has a Python and no pip.
$(VENV)/.made:
	@test -w . || { echo "This folder cannot be written to: $(CURDIR)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "This needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 book"; exit 1; }
	@$(ALONE) sh -c 'test -e $@ || test -e $(VENV)/.book || { rm -rf $(VENV) && $(PYTHON) -m venv $(VENV); } && touch $@' \
	  || { rm -rf $(VENV); echo "Python could not make a virtual environment, as it says above. On Debian: apt install python3-venv"; exit 1; }

$(VENV)/.book: requirements/book.txt pyproject.toml | $(VENV)/.made
	@echo "Installing what the book needs (locked in requirements/book.txt) …"
	@sed -n '/^uv==/,/[^\\]$$/p' $< >$(VENV)/uv.txt
	@$(ALONE) $(PIP) --require-hashes --only-binary=:all: -r $(VENV)/uv.txt || true
	@$(call install,$<)
	@$(ALONE) $(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.teach: $(VENV)/.book requirements/teach.txt
	@echo "Installing what grading needs (locked in requirements/teach.txt) …"
	@$(call install,requirements/teach.txt)
	@touch $@

$(VENV)/.lite: $(VENV)/.book requirements/lite.txt
	@echo "Installing JupyterLite (locked in requirements/lite.txt) …"
	@$(call install,requirements/lite.txt)
	@touch $@

$(VENV)/.test: $(VENV)/.book requirements/test.txt
	@echo "Installing what the tests need (locked in requirements/test.txt) …"
	@$(call install,requirements/test.txt)
	@touch $@
