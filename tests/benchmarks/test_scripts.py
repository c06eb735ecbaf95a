"""Every script of the benchmarks imports, and says how it is used."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASK_EACH = """
import runpy, sys, traceback
bad = []
for script in sys.argv[1:]:
    sys.argv = [script, "--help"]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        bad += [script] if end.code else []
    except Exception:
        bad.append(script)
        traceback.print_exc()
sys.exit(" ".join(bad) or None)
"""


def test_every_script_says_how_it_is_used() -> None:
    # One process for all: each script alone would read the engine anew.
    scripts = [str(script) for script in sorted((ROOT / "benchmarks").glob("*.py"))]

    said = subprocess.run(
        [sys.executable, "-c", ASK_EACH, *scripts], check=False, capture_output=True, text=True, timeout=120, cwd=ROOT
    )

    assert said.returncode == 0, said.stderr
    assert said.stdout.count("usage:") > len(scripts) // 2
