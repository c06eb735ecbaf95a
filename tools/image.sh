#!/usr/bin/env bash
# Builds the image with Docker or Podman and tries it: it becomes healthy, is not root, and ends well when told to.
#   tools/image.sh [NAME]
set -euo pipefail
cd "$(dirname "$0")/.."
image=${1:-vectorless-web}
engine=$(command -v docker || command -v podman) || { echo "No container engine: install Docker or Podman." >&2; exit 2; }

"$engine" build --file deploy/Dockerfile --tag "$image" .
started=$("$engine" run --detach "$image" sh -c "python manage.py migrate --verbosity 0 && exec python manage.py web")
trap '"$engine" rm --force "$started" >/dev/null' EXIT

for _ in $(seq "${PATIENCE:-120}"); do
  health=$("$engine" inspect --format '{{.State.Health.Status}}' "$started")
  [ "$health" = healthy ] && break
  sleep 1
done
if [ "$health" != healthy ]; then
  "$engine" logs "$started" >&2
  echo "The container did not become healthy; its log stands above." >&2
  exit 1
fi
[ "$("$engine" exec "$started" id -u)" != 0 ] || { echo "The container runs as root." >&2; exit 1; }
"$engine" stop --time 30 "$started" >/dev/null
code=$("$engine" inspect --format '{{.State.ExitCode}}' "$started")
[ "$code" = 0 ] || { echo "The container ended with $code when it was stopped." >&2; exit 1; }
echo "$image is built, serves, and stops."
