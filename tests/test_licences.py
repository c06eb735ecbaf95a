"""What may not be used is told from what may."""

import pytest

from tools.licences import is_refused


@pytest.mark.parametrize(
    "licence",
    ["GPL-3.0-only", "AGPL-3.0", "GNU Affero General Public License v3", "GNU General Public License v2 (GPLv2)"],
)
def test_a_licence_that_reaches_further_is_refused(licence):
    assert is_refused(licence)


@pytest.mark.parametrize(
    "licence",
    [
        "MIT",
        "LGPL-3.0-only",
        "GNU Lesser General Public License v3 (LGPLv3)",
        "MPL-2.0",
        "MIT OR GPL-3.0",
        "Artistic License; GPL",
    ],
)
def test_one_that_does_not_or_can_be_chosen_away_is_fine(licence):
    assert not is_refused(licence)
