# Everything a fresh machine with Python >= 3.11 and make needs. Each target sets itself up.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
ARGS ?=
# tests compile far more than they compute: keep programs for one another, optimise them little;
# the older emitters compile in less than half the time
CACHED := JAX_COMPILATION_CACHE_DIR=$(abspath $(VENV))/jax-cache JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0.3 \
	XLA_FLAGS="--xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1 \
	--xla_cpu_use_fusion_emitters=false"

.PHONY: check test lint slow bench kept pictures clean

check: $(STAMP)  ## the main job: predict, train, measure, compare
	$(BIN)/foretell check binary-majority $(ARGS)

test: $(STAMP)  ## the tests
	$(CACHED) $(BIN)/python -m pytest -n 2 --dist loadfile -q $(ARGS)

slow: $(STAMP)  ## the tests that take minutes
	$(BIN)/python -m pytest -n 2 -q -m slow $(ARGS)

lint: $(STAMP)  ## style, types, one-way rooms
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)  ## throughput against the HuggingFace loop (installs torch, CPU build, 1 GB)
	$(BIN)/python -m pip install -q -c constraints.txt torch transformers accelerate
	$(BIN)/python benchmarks/fleet.py $(ARGS)

kept:  ## the store of all kept runs of questions (experiments are in results/ as they are shown), in ./kept-runs; then: foretell scoreboard --store kept-runs --html FILE
	mkdir -p kept-runs
	cp -R results/runs/. kept-runs
	for runs in results/*/*runs.tgz; do tar xzf $$runs --strip-components=1 -C kept-runs; done

pictures: $(STAMP) kept  ## the figures of the read-me and the docs, from all kept runs
	for row in length-figure:gpu language-suite:gpu language-suite-public:cpu capture-figure:gpu; do \
		$(BIN)/foretell reproduce $${row%:*} --budget $${row#*:} --no-train --store kept-runs \
			--figures kept-runs --json > /dev/null && \
		cp kept-runs/$${row%:*}-1.svg docs/pictures || exit 1; done

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "foretell needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV)
