#!/usr/bin/env bash
# The browser tests, in a pytest process of their own: the browser driver's loop and other async tests do not mix.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH" DJANGO_ALLOW_ASYNC_UNSAFE=true
python -m pytest -q -p pytest_playwright.pytest_playwright tests/e2e "$@"
