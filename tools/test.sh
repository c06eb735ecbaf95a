#!/usr/bin/env bash
# Everything, in lanes side by side for two cores. The browser tests come first, beside nothing but the suite on SQLite:
# a browser that waits for its turn fails where nothing is wrong. Behind them come the suite on PostgreSQL, and the tests
# of faults with those of the engine behind them. Lint and types take what the others leave of the processor. What
# commits runs on PostgreSQL, what does not on SQLite; the markers one_database and both_databases say otherwise
# (tests/conftest.py).
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"

suite=(python -m pytest -q tests --ignore=tests/engine --ignore=tests/e2e --ignore=tests/faults)
static() { echo "== Lint, types, import rules" && nice -n 15 tools/check.sh static; }
engine() { echo "== Engine" && tools/check.sh engine; }
on_postgresql() { echo "== PostgreSQL" && python tools/with_postgresql.py "${suite[@]}"; }
on_sqlite() { echo "== SQLite" && "${suite[@]}" --beside-postgresql; }
browser() {
    local code=0
    echo "== Browser" && tools/e2e.sh || code=1
    touch "$said/browser ended"
    return "$code"
}
faults() { echo "== Faults" && python -m pytest -q tests/faults; }

first_lane() { browser && on_postgresql; }
second_lane() { on_sqlite; }
third_lane() {
    until [ -e "$said/browser ended" ]; do sleep 1; done
    faults && engine
}
lanes=(first_lane second_lane third_lane static)

# Each lane ends at its first failure; each is told whole whatever the others come to.
said=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$said"' EXIT
for lane in "${lanes[@]}"; do
    (time "$lane") >"$said/$lane" 2>&1 &
    pids+=("$!")
done
failed=0
for number in "${!lanes[@]}"; do
    wait "${pids[$number]}" || failed=1
    cat "$said/${lanes[$number]}"
done
exit "$failed"
