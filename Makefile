# Two commands on a fresh machine: `make demo` and `make test`. Each makes .venv first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint types course-check kit-tests clean

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "looplift needs Python 3.10 or newer; say which: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@$(PYTHON) -m venv .venv || \
	  { echo "$(PYTHON) cannot make a virtual environment: install its venv module (Debian: apt install python3-venv)"; exit 2; }
	$(BIN)/python -m pip install --disable-pip-version-check -e ".[dev]"
	@touch $@

demo: .venv/ready
	@$(BIN)/python tests/demo.py

test: .venv/ready lint types course-check kit-tests

lint: .venv/ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/ready
	$(BIN)/mypy

course-check: .venv/ready
	$(BIN)/looplift build --check

# LOOPLIFT_TEST_RUN marks every process of the run, so that the tests can prove that none is left over.
kit-tests: .venv/ready
	LOOPLIFT_TEST_RUN=$$$$ $(BIN)/python -m pytest -n 2 --dist loadfile

clean:
	rm -rf .venv dist build
