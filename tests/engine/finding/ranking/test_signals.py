from vectorless_web.engine.finding.ranking.ranker import profile_of
from vectorless_web.engine.finding.ranking.signals import measure_label, measure_signals, search_terms, share_words
from vectorless_web.engine.questions.understand import understand


def test_a_label_fits_best_when_it_is_the_phrase():
    phrase = ("total", "debt")
    labels = ("total debt", "total debt net", "our total debt net", "total assets")
    qualities = [measure_label(tuple(label.split()), phrase) for label in labels]
    assert qualities == sorted(qualities, reverse=True)
    assert (qualities[0], qualities[-1]) == (1.0, 0.0)


def test_the_statement_pages_are_recognised(document):
    statements = profile_of(document).statements
    for name, label in (("income", "Cost of sales"), ("balance", "Inventories"), ("cash_flow", "Purchases of")):
        best = max(range(len(document.pages)), key=statements[name].__getitem__)
        assert label in document.page_text(best)


def test_the_shares_of_the_questions_words_sum_to_one(document):
    shares = share_words([profile_of(document)], understand("Which former supplier sued over zebras?"))
    assert abs(sum(shares.values()) - 1.0) < 1e-9
    assert shares["zebra"] == max(shares.values())


def test_a_name_on_most_pages_says_little(compiled):
    profile = profile_of(compiled("\n\n".join(f"# Part {n}\n\nAcme builds bridge {n}." for n in range(9))))
    weights = {term.term: term.weight for term in search_terms([profile], understand("Where does Acme build?"))}
    assert weights["acm"] < weights["build"]


def test_a_heading_that_says_the_question_lifts_its_text(compiled):
    text = "# Handbook\n\n## Parental leave\n\nSix months are given.\n\n## Parking\n\nSix places are given."
    profile = profile_of(compiled(text))
    headings = measure_signals([profile], understand("How long is parental leave?"))[0][1]["heading"]
    best = profile.keys[int(headings.argmax())]
    assert "Parental leave" in profile.tree.path(best)
