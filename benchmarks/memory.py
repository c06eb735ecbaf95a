"""What an idle site takes of the memory: PSS of every process of `manage.py up`, and how it is made up.

    python benchmarks/memory.py [--wait 20] [--modules] [--command "honcho start"]

PSS counts a page that processes share once, divided among them. "own" is what a process alone has. With `--modules` it
also says what each large library takes by itself, imported in a process of its own.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.site import WholeSite

BAR_MB = 500
LARGE = ("numpy", "pypdfium2", "PIL", "lxml.etree", "openai", "httpx2", "pptx", "docutils.core", "mcp", "rapidfuzz")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--wait", type=float, default=20, help="seconds without work before the look")
    options.add_argument("--modules", action="store_true")
    options.add_argument("--command", default="", help="what starts all processes instead of `manage.py up`")
    chosen = options.parse_args()
    if chosen.modules:
        print("\n".join(f"{name:15} {_import_mb(name):6.1f} MB" for name in LARGE))
    began = time.monotonic()
    with WholeSite(command=chosen.command) as site:
        print(f"answers {time.monotonic() - began:.1f} s after the start")
        rows = _look_when_idle(site.web.pid, chosen.wait)
    for name, pss, own in sorted(rows, key=lambda row: -row[1]):
        print(f"{name:40} {pss:7.1f} MB, own {own:6.1f}")
    total = sum(pss for _, pss, _ in rows)
    print(f"{len(rows)} processes, {total:.0f} MB (bar {BAR_MB}): {'kept' if total <= BAR_MB else 'MISSED'}")
    return 0 if total <= BAR_MB else 1


def _look_when_idle(root: int, seconds: float) -> list[tuple[str, float, float]]:
    """The processes when nothing has been done for so long: no job, and no demo being loaded."""
    quiet = 0.0
    while quiet < seconds:
        time.sleep(0.5)
        busy = any(word in name for name, *_ in look(root) for word in ("load_demo", ": job "))
        quiet = 0.0 if busy else quiet + 0.5
    return look(root)


def look(root: int) -> list[tuple[str, float, float]]:
    """Name, PSS and private memory in MB of a process and all below it."""
    rows = []
    for pid in tree(root):
        try:
            name = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue  # it has ended
        sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
        rows.append((name[-40:], sizes["Pss"], sizes["Private_Clean"] + sizes["Private_Dirty"]))
    return rows


def tree(root: int) -> list[int]:
    """Numbers of a process and all below it."""
    children = [int(pid) for task in Path(f"/proc/{root}/task").glob("*/children") for pid in task.read_text().split()]
    return [root, *(each for child in children for each in tree(child))]


def _import_mb(name: str) -> float:
    """Private memory that a bare process gains by importing a library."""
    look = "sum(int(l.split()[1]) for l in open('/proc/self/smaps_rollup') if l.startswith('Private_'))/1024"
    code = f"before = {look}\nimport {name}\nprint({look} - before)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    raise SystemExit(main())
