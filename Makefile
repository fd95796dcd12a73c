# `make run` plans the example cluster; `make test` runs the tests. Both need only Python >= 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DIST ?= dist

.PHONY: run solvers test check fuzz bench paper wheel cluster test-cluster test-cluster-again fuzz-cluster clean

run: $(STAMP)
	$(BIN)/gangplan plan examples/cluster.json -o plan.json

# Every optional solver, plots and the paper: about 1 GB, most of it CBC.
solvers: $(VENV)/.solvers

$(VENV)/.solvers: $(STAMP) requirements-solvers.lock
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-solvers.lock
	touch $@

test: $(STAMP)
	$(BIN)/python -m pytest -n auto -q

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fuzz: $(STAMP)
	$(BIN)/python -m pytest -n auto -q -m slow
	$(BIN)/python -m tests.fuzz

bench: $(STAMP)
	$(BIN)/python -m gangplan.experiments.spine

# The real Kubernetes, from Go modules, into a cache: about 6 minutes a version, the first time.
cluster: $(STAMP)
	$(BIN)/python -m tests.controlplane.build $(KUBERNETES)

test-cluster: cluster
	$(BIN)/python -m pytest -n 2 --dist loadgroup -q -m "cluster and not slow" tests/cluster

# What failed, once more and alone: a machine that others use as well is late now and then.
test-cluster-again: cluster
	$(BIN)/python -m pytest --last-failed --last-failed-no-failures none -q -m "cluster and not slow" tests/cluster

fuzz-cluster: cluster
	$(BIN)/python -m pytest -q -m "cluster and slow" tests/cluster
	$(BIN)/python -m tests.cluster.faults.fuzz

paper: $(VENV)/.solvers
	$(BIN)/python -m gangplan.experiments.paper

wheel: $(STAMP)
	$(BIN)/python -m build --no-isolation --outdir $(DIST) .

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("gangplan needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist
