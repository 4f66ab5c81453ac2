# make demo   real attempts by good and flawed agents, graded, one failure explained, a page to open
# make test   the tests; both set everything up on a machine with Python 3.11+, pip and make
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: demo test check sweep calibrate screens clients bench clean

$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/.base
	$(BIN)/errands demo

# A browser for the tests of pages, where the machine has none.
$(VENV)/.browser: $(VENV)/.dev
	$(BIN)/python tools/ready_browser.py
	touch $@

test: $(VENV)/.browser
	$(BIN)/python -m pytest -n 2 --junit-xml=.tests.xml

# Lint, types and the order of the rooms.
check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The slow sweeps: every variant of every errand in every market, a thousand byte flips, kills at random moments.
sweep: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow

# Every attack on every errand, in all markets; what is green is written down.
calibrate: $(VENV)/.browser
	$(BIN)/errands calibrate --suite consumer --lock
	$(BIN)/errands calibrate --suite funnels --lock
	$(BIN)/errands calibrate --suite everyday --lock

# Pictures of every site, at two widths, by day and by night, to be looked at.
screens: $(VENV)/.browser
	$(BIN)/python tools/make_screens.py

# Real command-line agents and agent frameworks against a scripted model: they are installed
# into $ERRANDS_CLIENTS, else ~/.cache/errands-clients. Needs node 20+, npm and bubblewrap.
clients: $(VENV)/.dev
	$(BIN)/python -m pytest -m clients -ra

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/kernel.py

clean:
	rm -rf $(VENV) .tests.xml
