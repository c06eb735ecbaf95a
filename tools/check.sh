#!/usr/bin/env bash
# Lint, format, types, import rules and the engine's tests but the slow ones: under a minute on two cores.
# Three parts side by side; what each says is printed when all have ended.
#   tools/check.sh [static|engine]    the first part alone, or the others with the slow tests
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"

speed=(-m "not slow")
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

statically() {
    ruff check . &&
        ruff format --check . &&
        find templates -name '*.html' -exec djade --check --target-version 5.2 {} + &&
        mypy &&
        lint-imports --no-cache &&
        python manage.py makemigrations --check --dry-run &&
        python tools/licences.py &&
        python -m pytest -q tests/infra/test_templates.py
}

# The longer half of the engine's tests by name; whatever else there is, is the other half.
first=(tests/engine/agent tests/engine/answers tests/engine/parsing)
first_half() { python -m pytest -q "${speed[@]}" "${first[@]}"; }
second_half() { python -m pytest -q "${speed[@]}" tests/engine "${first[@]/#/--ignore=}"; }

parts=(statically first_half second_half)
case "${1:-}" in
    static) parts=(statically) ;;
    engine) parts=(first_half second_half) speed=() ;;
esac
pids=()
for part in "${parts[@]}"; do
    "$part" >"$said/$part" 2>&1 &
    pids[${#pids[@]}]=$!
done
failed=0
for number in "${!parts[@]}"; do
    wait "${pids[$number]}" || failed=1
    cat "$said/${parts[$number]}"
done
exit $failed
