"""Which words of a question name the figure that it asks for: each of them has to stand where the figure does."""

import re
from functools import cache

from vectorless_web.engine.questions.packs import read_pack
from vectorless_web.engine.questions.plan import QueryPlan, Token
from vectorless_web.engine.text.analyser import analyse

_SENTENCE_END = re.compile(r"[.?!:;](?=\s)")
"""Where a sentence of a question ends: what stands in another sentence tells how to answer, not what is asked."""

_NAMING = ("content", "entity", "lexicon")


def _words_of(name: str) -> frozenset[str]:
    return frozenset(read_pack("asking")[name])


@cache
def _terms_of(name: str) -> frozenset[str]:
    return frozenset(term for word in _words_of(name) for term in analyse(word))


def words_around() -> frozenset[str]:
    """Index terms that a label or a question may add to the name of a figure without naming another one."""
    return _terms_of("around")


def asked_tokens(plan: QueryPlan) -> tuple[Token, ...]:
    """The words that name the figure asked for, in order; () when the question asks for something else.

    They are the naming words of the sentence that asks. When all of them are such as stand around a figure's name,
    all count.
    """
    sentence = _asking_sentence(plan)
    instructing = _terms_of("instructing")
    naming = tuple(token for token in sentence if token.role in _NAMING and token.term not in ("", *instructing))
    own = tuple(token for token in naming if token.term not in words_around())
    return own or naming


def asks_figure(plan: QueryPlan) -> bool:
    """Whether the question has one sentence that asks for a figure."""
    return bool(_asking_sentence(plan))


def _asking_sentence(plan: QueryPlan) -> list[Token]:
    ends = [match.end() for match in _SENTENCE_END.finditer(plan.question)]
    sentences: dict[int, list[Token]] = {}
    for token in plan.tokens:
        sentences.setdefault(sum(end <= token.start for end in ends), []).append(token)
    words = {place: {token.text.lower() for token in tokens} for place, tokens in sentences.items()}
    asking = [place for place, said in words.items() if said & _words_of("figure")]
    named = [place for place in asking if any(token.role in ("period", "lexicon") for token in sentences[place])]
    asking = asking if len(asking) == 1 else named[:1]
    return sentences[asking[0]] if asking and not words[asking[0]] & _words_of("other") else []
