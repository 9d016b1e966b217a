# Byte code is cached even where the environment says otherwise: start-up time matters here.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check docs bench clean

demo: .venv/.ready
	$(BIN)/kubestage get all -A -f examples/01-first-cluster
	@echo
	$(BIN)/kubestage run examples/07-preemption --explain shop/checkout
	@echo
	$(BIN)/kubestage run examples/10-node-failure --for 10m

test: check docs
	$(BIN)/python -m pytest

check: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: .venv/.ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: .venv/.ready
	for suite in objects store sim scheduler controllers; do $(BIN)/python benchmarks/$$suite.py; done

.venv/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
