"""The child process that takes the files out of an uploaded archive or message, under the limits of the compile child.

Run as `python -m vectorless_web.documents.compiling.unpack`, with an Order on standard input: `target` is the folder
that the files are written to, under their numbers, with a list of them in "manifest.json".
"""

import json
import sys
from pathlib import Path
from typing import Any

from vectorless_web.documents.compiling import child
from vectorless_web.documents.compiling.child import ProgressReporter, report_refusal


def main() -> int:
    """Unpack the file that standard input describes."""
    return child.main(_unpack)


def _unpack(wanted: dict[str, Any]) -> None:
    # Imported under the limits: the parser and its libraries are what they are for.
    from vectorless_web.engine.errors import EngineError  # noqa: PLC0415
    from vectorless_web.engine.parsing.packed.enclosed import EnclosedLimits, unpack_file  # noqa: PLC0415

    target = Path(wanted["target"])
    limits = EnclosedLimits(files=wanted["archive_files"], bytes=wanted["max_bytes"], total=wanted["archive_bytes"])
    try:
        rows = unpack_file(
            Path(wanted["path"]),
            media_type=wanted["media_type"],
            target=target,
            limits=limits,
            progress=ProgressReporter(),
        )
    except EngineError as error:
        report_refusal(error.code, error.message, retryable=error.retryable)
    (target / "manifest.json").write_text(json.dumps(rows))


if __name__ == "__main__":
    sys.exit(main())
