"""A process that changes two cards of a workspace at a time: `WORKSPACE SECONDS MEDIA_ROOT`, and LEAST times at least.

It prints the number of each change with the moment it was committed, and compacts now and then.
"""

import os
import sys
import time

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")


LEAST = 26
"""Changes that are made however slow the machine is."""


def main(workspace_id: int, seconds: float) -> None:
    from vectorless_web.documents.models import SnapshotState
    from vectorless_web.documents.services import compact_snapshot, compiled_rows
    from vectorless_web.engine.documents.card import Card
    from vectorless_web.engine.finding.routing import card_row

    ends, wave = time.monotonic() + seconds, 0
    while time.monotonic() < ends or wave < LEAST:
        wave += 1
        card = Card(title=f"Lighthouse report wave {wave}", overview="Where the lighthouse stands.")
        compiled_rows._write(workspace_id, {pk: card_row(pk, card) for pk in (7, 8)})
        at = time.time()
        sys.stdout.write(f"{SnapshotState.objects.get(workspace=workspace_id).number} {at}\n")
        if wave % 25 == 0:
            compact_snapshot(workspace_id)
        time.sleep(0.01)


if __name__ == "__main__":
    django.setup()
    settings.MEDIA_ROOT = sys.argv[3]
    main(int(sys.argv[1]), float(sys.argv[2]))
