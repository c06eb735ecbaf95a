"""Runs optional readers so that a fault in one of them costs what it would have found, and never the document."""

import logging
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TypeVar

from vectorless_web.engine.errors import EngineError

_log = logging.getLogger(__name__)
_Found = TypeVar("_Found")
_SHOWN_PAGES = 10
"""Page numbers that a sentence about a failed reader names at most; a damaged file can fail on thousands."""


@dataclass(slots=True)
class Fences:
    """Collects the failures of optional readers while one file is compiled.

    A reader is optional when its pages still have their text without it: tables, pictures, headings, parts of the
    card. Refusals (EngineError) and a lack of memory pass through, since they are answers about the whole file.
    """

    _failed: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def read(self, subject: str, page: int, reader: Callable[[], _Found], otherwise: _Found) -> _Found:
        """What `reader` returns, or `otherwise` when it raises.

        `subject` is a plural noun phrase for the report ("tables with drawn lines"). `page` is the page's index, or
        -1 for a reader of the whole document.
        """
        try:
            return reader()
        except (EngineError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever a reader raises, the document is kept
            place = traceback.extract_tb(error.__traceback__)[-1]
            cause = f"{type(error).__name__} in {PurePath(place.filename).name}, line {place.lineno}"
            if (subject, cause) not in self._failed:  # a fault can recur on thousands of pages
                _log.warning("The reader of %s failed on page %d", subject, page + 1, exc_info=True)
            self._failed.setdefault((subject, cause), []).append(page)
            return otherwise

    def tell(self) -> Iterator[str]:
        """A sentence for the document's owner about each reader that failed, with the pages and the cause."""
        for (subject, cause), failed in self._failed.items():
            pages = sorted({page + 1 for page in failed if page >= 0})
            shown = ", ".join(map(str, pages[:_SHOWN_PAGES])) + (" ..." if len(pages) > _SHOWN_PAGES else "")
            where = f" on page{'' if len(pages) == 1 else 's'} {shown}" if pages else ""
            yield f"{subject[0].upper()}{subject[1:]} could not be read{where} ({cause}); the text is kept."
