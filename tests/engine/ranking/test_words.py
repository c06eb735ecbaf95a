"""What the question's own words find, whatever a lexicon says."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.paper import Text, pdf
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions.lexicon import Concept, Lexicon
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.ranking.evidence import profile_of, rank_pages
from vectorless_web.engine.ranking.profile import page_worth
from vectorless_web.engine.ranking.words import FLOOR_PAGES, FLOOR_ROOM, PRINTED, flat_bm25, keep_floor

WORDS = [
    *("boiler", "valve", "pressure", "lease", "rent", "tenant", "fee", "notice", "pump"),
    *("filter", "revenue", "net", "sales", "period", "clause"),
]


def compile_text(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return CompiledDocument(compile_file(path, name=path.name))


def page_with(document, text):
    return next(page for page in range(len(document.pages)) if text in document.page_text(page))


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    """A manual of many pages, whose words repeat in every mixture."""
    filler = "Keep this booklet near the machine and show it to whoever works with the machine. " * 40
    parts = [
        f"## Part {n}\n\nA {WORDS[n % 15]}, a {WORDS[(n * 7 + 3) % 15]} and a {WORDS[(n * 4 + 1) % 15]}. {filler}"
        for n in range(24)
    ]
    return compile_text(tmp_path_factory.mktemp("manual"), "manual.md", "# Manual\n\n" + "\n\n".join(parts))


@given(
    order=st.permutations(range(30)).flatmap(lambda pages: st.integers(0, 30).map(lambda size: pages[:size])),
    scores=st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0]), min_size=30, max_size=30),
)
def test_the_first_pages_of_flat_bm25_are_among_the_first_ten_and_the_others_keep_their_order(order, scores):
    found = keep_floor(order, np.array(scores))
    first = sorted((page for page in range(30) if scores[page] > 0), key=lambda page: -scores[page])[:FLOOR_PAGES]
    assert set(first) <= set(found[:FLOOR_ROOM])
    assert len(found) == len(set(found)) and set(order) <= set(found)
    rest = [page for page in found if page not in first]
    assert rest == [page for page in order if page not in first]


def test_an_order_that_has_them_among_the_first_ten_stays_as_it_is():
    assert keep_floor(list(range(20)), np.array([0.0] * 5 + [1.0] * 5 + [0.0] * 10)) == list(range(20))


@settings(max_examples=40, deadline=None)
@given(asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), concept=st.sampled_from(WORDS))
def test_no_lexicon_puts_a_page_that_words_put_among_the_first_five_behind_the_tenth(manual, asked, concept):
    wordings = (concept, f"{concept} machine")
    pushed = Concept("other", wordings, tuple(asked), statement="", sections=("Part 3",), source="")
    lexicon = Lexicon((pushed,))
    question = f"What about {' '.join(asked)}?"
    ranked = [page.page_index for page in rank_pages(manual, understand(question, lexicon=lexicon), lexicon=lexicon)]
    scores = flat_bm25([profile_of(manual, lexicon)], question)[0]
    first = np.argsort(-scores, kind="stable")[:FLOOR_PAGES]
    assert {int(page) for page in first if scores[page] > 0} <= set(ranked[:FLOOR_ROOM])


def test_the_words_of_a_question_decide_over_a_known_concept(tmp_path):
    filler = "The company makes widgets and sells them to builders. " * 60
    rows = "\n".join(f"| {label} | 90 | 80 |" for label in ("Net sales", "Cost of sales", "Gross profit", "Net income"))
    text = "\n\n".join(
        [
            "# Report",
            f"## Consolidated Statements of Income\n\n| (in millions) | 2021 | 2020 |\n|---|---|---|\n{rows}",
            filler,
            f"## Sales abroad\n\nNet sales to harbour authorities in Chile were paid in copper. {filler}",
            f"## Other matters\n\n{filler}",
        ]
    )
    document = compile_text(tmp_path, "report.md", text)
    pages = rank_pages(document, understand("How much were net sales to harbour authorities in Chile in 2021?"))
    assert pages[0].page_index == page_with(document, "harbour authorities")


NARRATIVE = [
    "Turnover of crews was discussed at length, and turnover of crews will be discussed again.",
    "Turnover of crews rose because of night shifts that nobody had announced.",
    "The standby allowance is paid with the wage, and the standby allowance is taxed.",
    "Standby allowance means the sum paid for each hour in which a person must be within reach.",
    "Visitors like the laboratory, and the laboratory likes visitors.",
    "Visitors may enter the laboratory only if a guide walks with them.",
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Why did the turnover of crews rise?", "night shifts"),
        ("What is meant by standby allowance?", "each hour"),
        ("May visitors enter the laboratory?", "a guide walks"),
    ],
)
def test_a_passage_that_states_the_cause_definition_or_rule_comes_first(tmp_path, question, answer):
    filler = "Other things are told here in words that answer nothing. " * 60
    parts = [f"## Part {n}\n\n{text} {filler}" for n, text in enumerate(NARRATIVE)]
    document = compile_text(tmp_path, "notes.md", "# Notes\n\n" + "\n\n".join(parts))
    pages = rank_pages(document, understand(question))
    assert pages[0].page_index == page_with(document, answer)


def test_a_name_that_few_pages_bear_tells_them_apart(tmp_path):
    filler = "The agency reports on its work and on its staff. " * 80
    parts = [f"## Part {n}\n\nThe staff of the office is glad. {filler}" for n in range(5)]
    parts[3] = f"## Part 3\n\nThe staff of Quillmore, an office, is glad. {filler}"
    document = compile_text(tmp_path, "agency.md", "# Agency\n\n" + "\n\n".join(parts))
    pages = rank_pages(document, understand("Is the staff of the office at Quillmore glad?"))
    assert pages[0].page_index == page_with(document, "Quillmore")


def test_words_are_counted_on_the_page_on_which_they_are_printed(tmp_path):
    words = [f"line {n} of the {WORDS[n % 15]} runs on and on, far beyond the foot of the page" for n in range(80)]
    lines = [[Text(60, 60 + 12 * (n % 40), words[n]) for n in page] for page in (range(40), range(40, 80))]
    path = tmp_path / "long.pdf"
    path.write_bytes(pdf(lines))
    document = CompiledDocument(compile_file(path, name=path.name))
    tree, profile = document.tree, profile_of(document)
    assert any(tree.node(key).page_end > tree.node(key).page_start for key in tree.leaves())
    for word in ("pump", "39", "40", "79"):
        printed = [len(re.findall(rf"\b{word}\b", document.page_text(page))) for page in range(2)]
        assert profile.pages.counts(word, PRINTED).tolist() == printed


def test_numbered_clauses_are_no_list_of_exhibits():
    clauses = "\n".join(f"10.{n} The tenant pays what is agreed." for n in range(1, 16))
    assert page_worth(clauses, ["Payment"]) == 1
