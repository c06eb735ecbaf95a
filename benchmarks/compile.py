"""Speed and memory of compiling PDFs beside bare text extraction in one run, and whether many files stay linear.

    python benchmarks/compile.py --pdfs DIR [--only NAME] [--documents 1000]

For each PDF: pages a second of bare pypdfium2 text extraction, of compiling, and their
ratio (bar: 0.25 over all). Peak memory is measured in a fresh process on the PDF with the
most pages (bar for 500 pages: 250 MB). Linearity: seconds for the last hundred of many
small Markdown files against the first hundred (bar: 1.2).
"""

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pypdfium2 as pdfium

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.parsing.compile import compile_file

_HUNDRED = 100


def bare_seconds(path: Path) -> tuple[int, float]:
    """Pages of a PDF, and the CPU seconds that bare text extraction takes."""
    started = time.process_time()
    document = pdfium.PdfDocument(path)
    for page in document:
        textpage = page.get_textpage()
        textpage.get_text_range()
        textpage.close()
        page.close()
    count = len(document)
    document.close()
    return count, time.process_time() - started


def compile_seconds(path: Path) -> float:
    """CPU seconds to compile a file."""
    started = time.process_time()
    compile_file(path, name=path.name)
    return time.process_time() - started


def peak_megabytes(path: Path) -> float:
    """Peak resident memory of a fresh process that compiles one file."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_compile_and_measure, (path,))


def _compile_and_measure(path: Path) -> float:
    compile_file(path, name=path.name)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def linearity(count: int) -> tuple[float, float]:
    """CPU seconds for the first and for the last hundred of `count` small documents."""
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            path = Path(folder) / f"note-{number}.md"
            path.write_text("\n".join(_small_document(number)), encoding="utf-8")
            seconds.append(compile_seconds(path))
    return sum(seconds[:_HUNDRED]), sum(seconds[-_HUNDRED:])


def _small_document(number: int) -> Iterator[str]:
    yield f"# Field report {number}\n"
    for section in range(6):
        yield f"## Site {section} of region {number % 17}\n"
        for line in range(8):
            yield f"Station {number}-{section}-{line} measured {number * 7 + line} units; the crew noted steady flow.\n"


def main() -> None:
    """Print a line for each PDF, the total, peak memory and linearity."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, help="folder of PDFs")
    parser.add_argument("--only", default="", help="only PDFs whose name contains this")
    parser.add_argument("--documents", type=int, default=1000, help="small documents for the linearity test (0: skip)")
    options = parser.parse_args()
    paths = sorted(path for path in options.pdfs.glob("*.pdf") if options.only in path.stem)
    measured = [(path, *bare_seconds(path), compile_seconds(path)) for path in paths]
    for path, pages, bare, own in measured:
        speeds = f"bare {pages / bare:5.0f}/s  compiled {pages / own:5.0f}/s  {bare / own:.3f}"
        print(f"{path.stem:40} {pages:4} pages  {speeds}")
    pages, bare, own = (sum(row[column] for row in measured) for column in (1, 2, 3))
    print(f"all: {pages} pages, bare {pages / bare:.0f}/s, compiled {pages / own:.0f}/s, ratio {bare / own:.3f}")
    largest = max(measured, key=lambda row: row[1])
    print(f"peak memory on {largest[0].stem} ({largest[1]} pages): {peak_megabytes(largest[0]):.0f} MB")
    if options.documents >= 2 * _HUNDRED:
        first, last = linearity(options.documents)
        print(
            f"{options.documents} documents: first 100 {first:.2f} s, last 100 {last:.2f} s, ratio {last / first:.2f}"
        )


if __name__ == "__main__":
    main()
