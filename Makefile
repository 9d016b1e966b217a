# Byte code is cached even where the environment says otherwise: start-up time matters here.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check docs bench conformance clean

demo: .venv/.ready
	$(BIN)/kubestage run examples/14-scenario/scenario.yaml --config examples/14-scenario/scheduler.yaml \
	  --out build/demo
	@echo
	$(BIN)/kubestage analyze build/demo preemptions
	@echo
	$(BIN)/kubestage explain build/demo checkout-0
	@echo
	$(BIN)/kubestage run examples/19-hpa-step-load --for 30m --out build/load
	@echo
	$(BIN)/kubestage load examples/25-load/load.yaml --nodes 20 --report-dir build/load-test
	@echo
	@echo "Now open build/demo/report.html, build/load/report.html and build/load-test/report.html in a browser."

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
	for suite in scheduler plugins startup fixtures objects store sim controllers scenario traffic queueing server pauses load rehearse karpenter karpenter_floor karpenter_rounds karpenter_day record import page page_memory charts lives history sweep check; do $(BIN)/python benchmarks/$$suite.py; done

# PROGRAMS is a folder with Kubernetes' own e2e.test.
conformance: .venv/.ready
	$(BIN)/python tools/conformance_suite.py $(PROGRAMS) --write
	$(BIN)/python tools/conformance_suite.py $(PROGRAMS) --suite beyond --write

.venv/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m compileall -q -j 0 src
	touch $@

clean:
	rm -rf .venv build site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
