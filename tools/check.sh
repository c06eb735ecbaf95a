#!/usr/bin/env bash
# Lint, format, types, import rules and the engine's tests: under a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
ruff check .
ruff format --check .
find templates -name '*.html' -exec djade --check --target-version 5.2 {} +
mypy
lint-imports --no-cache
python manage.py makemigrations --check --dry-run
python -m pytest -q tests/engine
