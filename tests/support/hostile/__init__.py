"""Files made to do harm, each with what has to become of it: `HOSTILE` names them all."""

from tests.support.hostile.case import Bait, Hostile
from tests.support.hostile.packages import PACKAGES
from tests.support.hostile.pdfs import PDFS
from tests.support.hostile.texts import TEXTS

HOSTILE: dict[str, Hostile] = {**PACKAGES, **PDFS, **TEXTS}
__all__ = ["HOSTILE", "Bait", "Hostile"]
