"""What a program tells in processes whose sets are laid out differently."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tell_under_two_seeds(script: str) -> list[bytes]:
    """What a script writes, under one hash seed and under another."""

    def tell(seed: str) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", script]
        return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True).stdout

    return [tell("1"), tell("2147")]
