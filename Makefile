.PHONY: run test check fix e2e fingerprint screenshots lock help
PY := .venv/bin/python

help:
	@echo "make run          set everything up and start the site"
	@echo "make test         set everything up and run every check and test"
	@echo "make check        the quick checks: lint, types, import rules, engine tests"
	@echo "make screenshots  pictures of every page into screenshots/"
	@echo "make fingerprint  record what the compiler writes, when that was changed on purpose"
	@echo "make lock         lock the requirements again"

run:
	@tools/setup.sh requirements.txt
	@exec $(PY) manage.py up

test:
	@BROWSER=needed tools/setup.sh requirements-dev.txt
	@tools/test.sh

check:
	@tools/setup.sh requirements-dev.txt
	@tools/check.sh

e2e:
	@BROWSER=needed tools/setup.sh requirements-dev.txt
	@tools/e2e.sh

fix:
	$(PY) -m ruff check --fix . && $(PY) -m ruff format .
	find templates -name '*.html' -exec .venv/bin/djade --target-version 5.2 {} +

fingerprint:
	@tools/setup.sh requirements-dev.txt
	$(PY) -m tests.engine.documents.golden

screenshots:
	@BROWSER=needed tools/setup.sh requirements-dev.txt
	$(PY) tools/screenshots.py

lock:
	.venv/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate requirements.in -o requirements.txt
	.venv/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate requirements-dev.in -o requirements-dev.txt
	cp requirements.txt requirements-extras.txt  # the same versions of what both have
	.venv/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate requirements-extras.in -o requirements-extras.txt
