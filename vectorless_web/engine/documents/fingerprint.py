"""Names the compiler by what it makes: a digest of the artefacts of known documents, recorded beside this module.

`fingerprint.json` holds the SHA-256 of the artefact of each known document, and the versions of
the libraries that read files. A test compiles the same documents and fails when they differ;
`make fingerprint` records them anew. So a change of what the compiler writes changes its name,
and a change that writes the same bytes does not.
"""

import hashlib
from pathlib import Path

RECORDED = Path(__file__).with_name("fingerprint.json")

ENGINE_VERSION = hashlib.sha256(RECORDED.read_bytes()).hexdigest()[:12]
"""The compiler's name: part of every artefact and of its name in storage. Another one means compiling again."""
