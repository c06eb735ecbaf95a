#!/usr/bin/env bash
# Everything: checks, the suite on SQLite and on PostgreSQL, the browser tests.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
log=$(mktemp)
trap 'kill "$checks" 2>/dev/null || true; rm -f "$log"' EXIT
# The checks use a processor, the suite mostly waits for processes: they share the first minute.
tools/check.sh >"$log" 2>&1 & checks=$!
echo "== SQLite"
python -m pytest -q tests --ignore=tests/engine --ignore=tests/e2e
echo "== Lint, types, import rules, engine"
if wait "$checks"; then cat "$log"; else cat "$log"; exit 1; fi
echo "== PostgreSQL"
python tools/with_postgresql.py python -m pytest -q tests --ignore=tests/engine --ignore=tests/e2e
echo "== Browser"
tools/e2e.sh
