"""How often the router puts the right document first, in the first five and in the first fifteen.

    python benchmarks/routing.py --questions FILE --documents DIR [--cache DIR] [--misses]

A questions file has one JSON object a line: {question, and the document as doc or doc_name}. All documents of
the folder are routed over, cards, texts and passages as in a workspace. Printed with the share are the documents
committed to (right of all) and the processor time of a question, in the median and at the 95th percentile.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import FolderCorpus, make_router
from vectorless_web.engine.questions.understand import understand

KS = (1, 5, 15)


def main() -> None:
    """Route each question, print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("var/benchmarks"))
    parser.add_argument("--misses", action="store_true", help="list the questions whose document is not first")
    options = parser.parse_args()
    names = sorted(path.name for path in options.documents.iterdir())
    corpus = FolderCorpus(options.documents, cache=options.cache, names=names)
    router = make_router(corpus)
    found, seconds, committed = dict.fromkeys(KS, 0), list[float](), [0, 0]
    asked = [json.loads(line) for line in options.questions.read_text().splitlines()]
    asked = [one for one in asked if one.get("doc") or one.get("doc_name")]
    for one in asked:
        gold, started = corpus.id_of(one.get("doc") or one["doc_name"]), time.process_time()
        result = router.route(understand(one["question"]))
        seconds.append(time.process_time() - started)
        ranked = [str(candidate.doc_id) for candidate in result.candidates]
        for k in KS:
            found[k] += gold in ranked[:k]
        if result.committed is not None:
            committed = [committed[0] + (str(result.committed) == gold), committed[1] + 1]
        if options.misses and ranked[:1] != [gold]:
            print(f"  {one['question']}  [{corpus.name_of(gold)}; first {corpus.name_of(ranked[0])}]")
    seconds.sort()
    shares = " / ".join(f"{found[k] / len(asked):.3f}" for k in KS)
    middle, late = seconds[len(seconds) // 2], seconds[int(0.95 * len(seconds))]
    print(f"{len(asked)} questions, document at {KS}: {shares}; committed {committed[0]} of {committed[1]}; ", end="")
    print(f"{1000 * middle:.0f} / {1000 * late:.0f} ms")


if __name__ == "__main__":
    main()
