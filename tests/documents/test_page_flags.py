from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.documents.rendering.page import PlacedHighlight, place_flags

PAGE = (612.0, 792.0)


def quote(marker, *boxes):
    return PlacedHighlight(marker, f"hit-{marker}", False, boxes)


def test_flags_stand_left_level_with_their_quote_cover_no_word_and_take_both_margins():
    assert place_flags([quote(1)], *PAGE) == ()

    (flag,) = place_flags([quote(1, (60, 300, 200, 12), (60, 280, 200, 12))], *PAGE)
    assert flag.x < 60
    assert 280 <= flag.y + 23 * flag.scale / 2 <= 292

    (flag,) = place_flags([quote(1, (24, 300, 200, 12))], *PAGE)
    assert flag.x + 28 * flag.scale < 24
    assert flag.x >= -14 * flag.scale

    left, right = place_flags([quote(1, (60, 300, 20, 12)), quote(2, (400, 300, 20, 12))], *PAGE)
    assert left.x < 100 < right.x
    assert left.y == right.y


@given(st.lists(st.floats(0, 780), max_size=12))
def test_flags_stay_on_the_page_and_apart(tops):
    flags = place_flags([quote(number, (60, top, 20, 12)) for number, top in enumerate(tops, 1)], *PAGE)
    assert len(flags) == len(tops)
    assert all(0 <= flag.y <= 792 - 23 * flag.scale + 0.1 for flag in flags)
    for number, flag in enumerate(flags):
        for other in flags[:number]:
            assert abs(flag.x - other.x) >= 20 or abs(flag.y - other.y) >= 16
