from vectorless_web.engine.text.fuzzy import partial_ratio_alignment, ratio, token_set_ratio


def test_an_alignment_names_the_stretch_of_the_haystack():
    found = partial_ratio_alignment("cash flow", "the cash flow of the year")
    assert (found.score, found.start, found.end) == (100.0, 4, 13)


def test_nothing_aligns_with_nothing():
    assert partial_ratio_alignment("", "abc").score == 0


def test_a_needle_longer_than_the_haystack_covers_all_of_it():
    found = partial_ratio_alignment("the cash flow", "cash")
    assert (found.start, found.end) == (0, 4)


def test_ratios_run_from_0_to_100():
    assert ratio("abc", "abc") == 100
    assert token_set_ratio("flow of cash", "cash flow of") == 100
