#!/usr/bin/env bash
# Everything: checks, the suite on SQLite and on PostgreSQL, the browser tests.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
tools/check.sh
echo "== SQLite"
python -m pytest -q tests --ignore=tests/engine --ignore=tests/e2e
echo "== PostgreSQL"
python tools/with_postgresql.py python -m pytest -q tests --ignore=tests/engine --ignore=tests/e2e
echo "== Browser"
tools/e2e.sh
