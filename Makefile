PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD_TOOLS := meson-python meson ninja "cython>=3.1"
SOURCES := pyproject.toml meson.build meson.options $(wildcard thalweg/_kernels/*.pyx thalweg/_kernels/*.pxd thalweg/_kernels/meson.build)
# Kernels are rebuilt on import, which needs meson and ninja on the path.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: install demo test lint docs clean

install: $(VENV)/.installed

$(VENV)/.installed: $(SOURCES)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet $(BUILD_TOOLS)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[test]"
	@touch $@

demo: install
	$(BIN)/thalweg run sea --report report.html

lint: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/cython-lint thalweg
	$(BIN)/lint-imports
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2 -q

docs: $(VENV)/.tested
	$(BIN)/python -m mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) build dist site report.html
