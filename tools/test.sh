#!/usr/bin/env bash
# Everything, in two lanes side by side: checks, the suite on PostgreSQL and the tests of faults; the suite on SQLite
# and the browser tests.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
log=$(mktemp)
trap 'kill "$lane" 2>/dev/null || true; rm -f "$log"' EXIT

suite() { "$@" python -m pytest -q tests --ignore=tests/engine --ignore=tests/e2e --ignore=tests/faults "${once[@]}"; }
once=()
# What asks no database, or the same of any: it runs once, in the lane of SQLite.
no_database=(--ignore=tests/providers --ignore=tests/benchmarks)
for name in documents/test_{hostile_files,recognition_program,compile_process,rendering,render_turns,slow_pages} \
  documents/test_{scratch,layout,page_flags,page_tables,table_view,scans,figures,long_outline} \
  infra/test_{templates,request_limits,supervisor,forking,private_files,site_lock,listening} \
  test_{docs,extending,audited,admin,admin_acts,permissions}; do
    no_database+=("--ignore=tests/$name.py")
done

checks_and_postgresql() {
    echo "== Lint, types, import rules, engine"
    tools/check.sh whole
    echo "== PostgreSQL"
    once=("${no_database[@]}")
    suite python tools/with_postgresql.py
    echo "== Faults"
    python -m pytest -q tests/faults
}

# Either lane ends at its first failure; each is told whole whatever the other comes to.
(set -e; checks_and_postgresql) >"$log" 2>&1 & lane=$!
failed=0
echo "== SQLite"
suite || failed=1
if [ "$failed" = 0 ]; then
    echo "== Browser"
    tools/e2e.sh || failed=1
fi
wait "$lane" || failed=1
cat "$log"
exit "$failed"
