"""What was asked and answered before in a thread, as a follow-up is given it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage that an earlier answer cited, verbatim: the document's corpus id, the node, and its quote."""

    document: str
    key: int
    page_index: int
    quote: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question of the thread in its own words, its answer as text, and the passages that answer cited."""

    question: str
    answer: str
    cited: tuple[CitedPassage, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """The exchanges before the question, oldest first; empty for a question that stands by itself."""

    exchanges: tuple[Exchange, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """Corpus ids of the documents cited before, the latest first, each once."""
        cited = [passage.document for exchange in reversed(self.exchanges) for passage in exchange.cited]
        return tuple(dict.fromkeys(cited))
