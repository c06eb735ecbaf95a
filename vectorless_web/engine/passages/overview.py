"""What is read from where documents say it: the points of a section, the parties, how long a contract runs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.passages.context import LABELLED, Reading, Span, states_something, stating_heading
from vectorless_web.engine.questions.wordings import other_wordings
from vectorless_web.engine.text.analyser import analyse

MOST_POINTS = 8
"""Points of a summary ..."""

MOST_TEXTS = 12
"""... and texts of which each gives one; of more only some do."""

ENOUGH_HEADING = 0.5
"""Least share of the topic that the heading of the section says."""

ENOUGH_SENTENCES = 2
"""Sentences of a section that say the whole topic, at least, where no heading names it."""

FEW_SECTIONS = 3
"""Sections below a part from which on each gives a point, and not each text."""

_SIGNED = re.compile(r"\s*(?:signed|signature|in witness whereof|place and date)\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"(?:summar\w+|sum up|overview|gist|outline|points|nutshell)(?: (?:of|about|from))?"
    r"(?: (?:this|the|the whole|the entire))?"
    r"(?: (?:\w+ ){0,2}(?:document|report|file|agreement|contract|policy|manual|handbook|notice|protocol|paper|lease"
    r"|guide|leaflet|minutes|filing|plan|strategy|study|trial|booklet|text|article|proposal|specification))?(?:\W*$|,)"
    r"|\bwhat is (?:this|the) \w+ about\W*$",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:please|can you|could you|summar\w+|sum(?:s|med|ming)? up|overview|gist|outlines?|main points|key points"
    r"|what (?:the|this|our|your) [\w’'-]+(?: [\w’'-]+)? (?:says?|states?|provides?|tells?|requires?|explains?)"
    r" (?:about|on|of|regarding|concerning)|bits?|stuff"
    r"|key takeaways|takeaways|in short|in brief|briefly|in a nutshell|in a few words|give|tell|me|us|what happens?"
    r"|what is said|what it says|what they say|says?|section|chapter|part|clause|article|paragraph|document)\b",
    re.IGNORECASE,
)
_WORDINGS = (
    (re.compile(r"\b(?:is|are|was|has|have) (?:over|finished|ended|up)\b|\bruns? out\b|\bcomes? to an end\b"
                r"|\b(?:at|on|upon|after|following) (?:the )?(?:end|termination|expiry|close) of\b"
                r"|(?<=\w )(?:ends|expires|terminates)\b", re.I),
     " end termination expiry after consequence exit "),
    (re.compile(r"\bmov(?:e|es|ing) out\b|\bleaves?\b|\bleaving\b", re.I), " moving out leaving end notice "),
    (re.compile(r"\bgo(?:es)? wrong\b|\bbreaks? down\b", re.I), " fault failure defect "),
)  # fmt: skip
_COMMON = frozenset(analyse("contract agreement document report policy company lease manual notice plan people thing"))
"""Terms that say little of which section is meant: they weigh a fifth."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What is to be summed up: for each word of the question its own terms, those of other wordings, and its weight."""

    groups: tuple[tuple[frozenset[str], frozenset[str], float], ...]

    def share(self, text: str) -> float:
        """The share in [0, 1] of the topic that a text says."""
        said = frozenset(analyse(text))
        total = sum(weight for _, _, weight in self.groups)
        told = sum(weight * (1.0 if own & said else OTHERWISE) for own, others, weight in self.groups
                   if (own | others) & said)  # fmt: skip
        return told / total if total else 0.0

    def without(self, title: str) -> "Topic":
        """The topic without what a document's title says, which holds for each part of it."""
        said = frozenset(analyse(title))
        return Topic(tuple(group for group in self.groups if not group[0] & said))


OTHERWISE = 0.9
"""What another wording of a word counts beside the word itself: of two headings the one with the word is meant."""


def topic_of(question: str) -> Topic:
    """The words of a question for a summary that say of what, each with its other wordings of one word."""
    groups: list[tuple[frozenset[str], frozenset[str], float]] = []
    plain = question
    for pattern, words in _WORDINGS:
        if pattern.search(plain):
            groups.append((frozenset(analyse(words)), frozenset(), 1.0))
            plain = pattern.sub(" ", plain)
    plain = _ASKING.sub(" ", plain)
    others: dict[str, set[str]] = {}
    for wording in other_wordings(plain):
        if len(wording.origin) == 1 == len(wording.terms):
            others.setdefault(wording.origin[0], set()).add(wording.terms[0])
    for term in dict.fromkeys(analyse(plain)):
        groups.append((frozenset({term}), frozenset(others.get(term, ())), 0.2 if term in _COMMON else 1.0))
    return Topic(tuple(groups))


def find_points(tree: Tree, reading: Reading, question: str) -> tuple[list[Span], float]:
    """The points of the section that the question names, in order, and how well it is named; none when none is."""
    topic = topic_of(question)
    if not topic.groups or _WHOLE.search(question):
        return _points_of_document(tree, reading), 1.0
    section, keys, said, rated = _choose_part(tree, reading, topic, question)
    if section and _is_title(tree, section):
        # What the title of the whole says tells no part of it.
        return [], 0.0
    if said < ENOUGH_HEADING:
        by_words = [(_count_sentences(reading, topic, keys), order, own, keys) for _, order, own, keys in rated]
        hits, _, section, keys = max(by_words, default=(0, 0, 0, ()), key=lambda row: (row[0], row[1]))
        if hits < ENOUGH_SENTENCES:
            return [], 0.0
        said = ENOUGH_HEADING
    keys = (*keys, *_leaves_counted_on(tree, reading, section))
    texts = _group_points(tree, reading, keys, section)
    return _bound_points(tree, _leave_out_before_end(tree, texts) if _ENDED.search(question) else texts), said


MOST_OF_ALL = 0.6
"""Share of a document's leaves from which on a section is no part of it but the whole, below its title."""


def _is_title(tree: Tree, section: int) -> bool:
    """Whether a section is the whole text below its title: it comes first, holds most of all and has no number."""
    is_first = next(iter(tree.sections()), 0) == section and not _NUMBER_AHEAD.match(tree.node(section).title)
    return is_first and len(list(tree.leaves(section))) > MOST_OF_ALL * len(list(tree.leaves()))


_NUMBER_AHEAD = re.compile(r"\W*(?:(?:section|chapter|part|article|clause)\s+)?\w?\d", re.IGNORECASE)


Parts = list[tuple[float, int, int, tuple[int, ...]]]


MANY = 1_000_000
"""More parts than a document has."""

_WORD = re.compile(r"[a-z]+")


def _choose_part(
    tree: Tree, reading: Reading, topic: Topic, question: str = ""
) -> tuple[int, tuple[int, ...], float, Parts]:
    """The part whose heading says most of the topic: its section, its leaves, how much it says; and all so rated.

    Of two that say as much the one that says it in more words of the question: "What happens when the lease ends".
    """
    words = set(_WORD.findall(question.lower()))
    rated = [
        (topic.share(title), len(words & set(_WORD.findall(title.lower()))) * MANY - order, section, keys)
        for order, (title, section, keys) in enumerate(_list_parts(tree, reading))
    ]
    said, _, section, keys = max(rated, default=(0.0, 0, 0, ()), key=lambda row: (round(row[0], 6), row[1]))
    return section, keys, said, rated


def find_wording(tree: Tree, reading: Reading, topic: Topic) -> tuple[list[Span], float]:
    """All sentences of the part that the topic names, of the whole document for none, and how well it is named."""
    keys, said = tuple(tree.leaves()), 1.0
    if topic.groups:
        _, keys, said, _ = _choose_part(tree, reading, topic)
    if said < ENOUGH_HEADING:
        return [], 0.0
    spans = [span for key in keys for span in _points_of(tree, reading, key)]
    return (spans, said) if len(spans) <= MOST_WORDING else ([], 0.0)


MOST_WORDING = 4000
"""Sentences of a part that are compared with another version of it: of half a part the other half would seem gone."""

_ENDED = _WORDINGS[0][0]
_ON_END = re.compile(
    r"\b(?:when\w*|once|upon|on|after|following|at)\b[^.:;]{0,40}\b(?:ends|ended|terminat\w+|expir\w+|end of)\b",
    re.IGNORECASE,
)


def _leave_out_before_end(tree: Tree, texts: Sequence["Text"]) -> Sequence["Text"]:
    """Of a clause on how something ends only what it says of the time after: from the first such sentence on."""
    order = [(number, span) for number, text in enumerate(texts) for span in text.spans]
    first = next((place for place, (_, span) in enumerate(order)
                  if _ON_END.search(tree.node(span.key).text[span.start : span.end])), 0)  # fmt: skip
    kept: dict[int, list[Span]] = {}
    for number, span in order[first:]:
        kept.setdefault(number, []).append(span)
    return [Text(spans, texts[number].heading) for number, spans in kept.items()]


def _leaves_counted_on(tree: Tree, reading: Reading, section: int) -> Iterator[int]:
    """The leaves of later sections that are parts of a section by their numbers, though they stand beside it.

    "5.1.1" belongs to "5.1"; "Goal 1" and "Goal 2" to "Strategic goals" above them.
    """
    label = tree.node(section).label or "" if section > 0 else ""
    parent = tree.parent(section) if section > 0 else 0
    if not label and parent > 0 and tree.children(parent)[:1] == [section]:
        label = tree.node(parent).label or ""
    is_number = bool(label) and label[0].isdigit()
    end = tree.subtree_end(section) if section > 0 else 0
    for other in (key for key in tree.sections() if is_number and key >= end):
        if (tree.node(other).label or "").startswith(f"{label}."):
            yield from tree.leaves(other)
    if section > 0:
        for span in reading.headings_counting(section):
            yield from tree.leaves(span.key)


@dataclass(frozen=True, slots=True)
class Text:
    """What is summed up by its first sentences: one text, or the texts of one heading, which is told with them."""

    spans: list[Span]
    heading: Span | None = None


def _group_points(tree: Tree, reading: Reading, keys: Sequence[int], section: int) -> list[Text]:
    """The points of each text of a part; where it has several headings below it, those of each heading together.

    Texts that go on after one that begins with a name ("Storage: ...") belong to it, where the part has several.
    """
    texts = [(key, _points_of(tree, reading, key)) for key in keys]
    below = dict.fromkeys(own for key, spans in texts if spans and (own := _heading_above(tree, key, section)))
    if len(below) > 1:
        groups: dict[int, Text] = {}
        for key, spans in texts:
            own = _heading_above(tree, key, section)
            heading = _whole(tree, own) if own else None
            text = groups.setdefault(own or -key, Text([], heading))
            text.spans.extend(spans)
            stated = stating_heading(tree, key)
            if not spans and not text.spans and stated is not None and own and stated != own:
                # Nothing is told below a heading that says it itself.
                text.spans.append(_whole(tree, stated))
        return list(groups.values())
    named = [key for key, spans in texts if spans and _is_labelled(tree, key)]
    if len(named) < FEW_SECTIONS:
        return [Text(spans) for _, spans in texts]
    joined: list[Text] = []
    for key, spans in texts:
        if joined and named and key > named[0] and key not in named:
            joined[-1].spans.extend(spans)
        else:
            joined.append(Text(list(spans)))
    return joined


def _whole(tree: Tree, key: int) -> Span:
    return Span(key, 0, len(tree.node(key).text.rstrip()))


def _is_labelled(tree: Tree, key: int) -> bool:
    return tree.kind(key) is NodeKind.PARAGRAPH and bool(LABELLED.match(tree.node(key).text))


def _heading_above(tree: Tree, key: int, section: int) -> int:
    """The outermost heading above a leaf that is not above the section summed up, too; 0 for its own texts."""
    outer, above = set(), section
    while above > 0:
        outer.add(above)
        above = tree.parent(above)
    own, found = tree.section_of(key), 0
    while own > 0 and own not in outer:
        found, own = own, tree.section_of(tree.parent(own))
    return found


def _list_parts(tree: Tree, reading: Reading) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Each part of a document that has a heading: this, its section and its leaves.

    Sections are parts, and clauses that begin with a title, which stand in the section 0.
    """
    for section in tree.sections():
        leaves = tuple(tree.leaves(section))
        if leaves and tree.parent(section) >= 0:
            yield tree.node(section).title, section, leaves
    for key in tree.leaves():
        if tree.kind(key) in (NodeKind.LIST, NodeKind.PARAGRAPH) and _title_line(tree, key):
            yield _title_line(tree, key), 0, (key,)


_TITLE = re.compile(r"\s*(?:(?:article|clause|section)\s+)?\d+(?:\.\d+)*[.)]?\s+(?P<title>[A-Z][^\n.:;]{2,80})\n")


def _title_line(tree: Tree, key: int) -> str:
    """The first line of a node that is the heading of its clause, or ""."""
    match = _TITLE.match(tree.node(key).text)
    return match["title"] if match else ""


def _points_of(tree: Tree, reading: Reading, key: int) -> list[Span]:
    """The sentences or items of a leaf; no tables, no heading lines, no scraps."""
    if tree.kind(key) not in (NodeKind.PARAGRAPH, NodeKind.LIST):
        return []
    title = _title_line(tree, key)
    text = tree.node(key).text
    body = text.find("\n") if title else 0
    spans = [Span(key, max(piece.start, body), piece.end) for piece in reading.pieces(key) if piece.end > body + 1]
    return [s for s in spans if len(text[s.start : s.end].split()) > 1 and not _SIGNED.match(text, s.start)]


def _bound_points(tree: Tree, texts: Sequence[Text]) -> list[Span]:
    """All points when they are few; else the first of each text, then the second, until there are enough, in order.

    A text's heading is told before the first of its points.
    """
    said: set[str] = set()
    order = []
    for number, text in enumerate(texts):
        for place, span in enumerate(text.spans):
            words = " ".join(analyse(tree.node(span.key).text[span.start : span.end]))
            if words not in said:
                order.append((place, number, span))
            said.add(words)
    firsts = [row for row in order if row[0] == 0]
    if len(firsts) > MOST_TEXTS:
        step = len(firsts) / MOST_POINTS
        kept = [firsts[int(place * step)] for place in range(MOST_POINTS)]
    else:
        kept = sorted(order, key=lambda row: (row[0], row[1]))[: max(MOST_POINTS, len(firsts))]
    points: list[Span] = []
    told: set[int] = set()
    for _, number, span in sorted(kept, key=lambda row: (row[1], row[0])):
        heading = texts[number].heading
        points += [heading] if heading is not None and number not in told else []
        told.add(number)
        points.append(span)
    return points


_IN_SHORT = re.compile(
    r"\W*(?:(?:section|chapter|part)?\s*\d[\d.]*[.):]?\s+)?(?:executive |management |plain[- ]language |short )?"
    r"(?:summary|synopsis|abstract|overview|at a glance|in brief|in short|key (?:points|findings|messages))\W*$",
    re.IGNORECASE,
)
"""The heading of what a document says in short itself."""
_ASIDE = re.compile(
    r"\W*(?:(?:section|chapter|part|annex|appendix)?\s*[\dA-Z][\d.]*[.):]?\s+)?"
    r"(?:(?:table of )?contents|preface|imprint"
    r"|legal notice|disclaimer|contacts?(?: details)?|acknowledge?ments|references|bibliography|index|glossary"
    r"|abbreviations|definitions|terms(?: used)?|further information|version history|document history"
    r"|about this (?:report|document|guide|manual|leaflet|booklet|handbook|notice))\W*$",
    re.IGNORECASE,
)
"""The heading of what stands around a text and is no point of it."""
_WHOLE_SENTENCE = re.compile(r"[.!?:;][\"'”’)\]]*\s*$")


def _points_of_document(tree: Tree, reading: Reading) -> list[Span]:
    """What a document says in short itself; else the first sentence of each section that has a text of its own.

    Lines below its title that are no sentences ("Version 2 | May 2024") and what stands around a text are no points.
    """
    sections = list(tree.sections())
    short = next((section for section in sections if _IN_SHORT.match(tree.node(section).title)), None)
    told = [span for key in tree.leaves(short) for span in _points_of(tree, reading, key)] if short else []
    if ENOUGH_SENTENCES <= len(told) <= MOST_POINTS:
        return told
    firsts = []
    for section in (each for each in sections if not _ASIDE.match(tree.node(each).title)):
        own = [key for key in tree.leaves(section) if tree.parent(key) == section]
        is_title = _is_title(tree, section)
        found = (_points_of(tree, reading, key) for key in own)
        spans = next((kept for one in found if (kept := _leave_out_lines(tree, one) if is_title else one)), [])
        firsts.append(spans[:1])
    if sum(bool(spans) for spans in firsts) < ENOUGH_SENTENCES:
        firsts = [_points_of(tree, reading, key) for key in tree.leaves()]
    texts = [Text(spans) for spans in firsts if spans]
    return _bound_points(tree, texts)


def _leave_out_lines(tree: Tree, spans: Sequence[Span]) -> list[Span]:
    texts = ((span, tree.node(span.key).text[span.start : span.end]) for span in spans)
    return [span for span, text in texts if _WHOLE_SENTENCE.search(text) and "|" not in text]


_ASKS_PURPOSE = re.compile(
    r"\bwhat (?:is|was|are) (?:this|the|your|their|our) (?:\w+ ){1,3}?(?:trying|meant|supposed|intended|designed|hoping"
    r"|aiming) (?:to|for)\b(?: (?:do|achieve|show|prove|test|find out|establish|answer|learn))?\W*$"
    r"|\bwhat (?:is|was) the (?:main |overall )?(?:aim|goal|purpose|objective|point|idea) of (?:this|the) \w+\W*$"
    r"|\bwhat (?:does|do) (?:this|these) (?:\w+ ){1,2}?(?:do|hope to (?:do|achieve|find out)|want to (?:know|find out"
    r"|achieve)|look at|aim (?:at|for|to do))\W*$",
    re.IGNORECASE,
)
"""A question for what the whole of a thing is for: "What is this trial trying to show?\""""
_TELLS_AIM = re.compile(
    r"^\W*(?:[\d.]+\s+)?"
    r"(?:(?:it |(?:this|the|our) (?:\w+ ){1,3}?)(?:asks|tests|examines|investigates) (?:whether|how|if)\b"
    r"|(?:it |(?:this|the|our) (?:\w+ ){1,3}?)(?:aims|seeks|is (?:designed|intended)|sets out|hopes) to\b"
    r"|the (?:\w+ ){0,2}?(?:aim|purpose|objective|goal)s? (?:of (?:this|the) (?:\w+ ){1,3}?)?(?:is|are|was) )",
    re.IGNORECASE,
)
"""How a sentence begins that says what a thing is for: "It asks whether ..."."""
_BEGINS_TEXT = re.compile(
    r"\W*(?:(?:section|chapter|part)?\s*\d[\d.]*[.):]?\s+)?(?:introduction|overview|summary|scope|purpose|general"
    r"|description|abstract|background|about (?:this|the) \w+|what it (?:is|does)|product description)\W*$",
    re.IGNORECASE,
)
"""The heading below which a text first says what it is about."""
_DOES = re.compile(r"\bdo\W*$", re.IGNORECASE)


def find_purpose(tree: Tree, reading: Reading, question: str) -> list[Span]:
    """The sentence that says what the whole is for or does, with what it leans on; none where several say so.

    Asked what a thing does, it is the first sentence of the introduction whose subject the title names.
    """
    asked = _ASKS_PURPOSE.search(question)
    if asked is None or not set(analyse(_OF_WHOLE.sub(" ", asked.group()))) <= _title_terms(tree):
        return []
    found = [
        (key, place)
        for key in list(tree.leaves())[:MOST_FIRST]
        if tree.kind(key) is NodeKind.PARAGRAPH
        for place, piece in enumerate(reading.pieces(key))
        if _TELLS_AIM.match(piece.text)
    ]
    if _DOES.search(question):
        found = _find_first_told(tree, reading)
    if len(found) != 1:
        return []
    rule = reading.rule(*found[0])
    return [*rule.before, rule.sentence]


_OF_WHOLE = re.compile(
    r"\b(?:what|stud(?:y|ies)|trials?|projects?|reports?|plan|survey|investigation|inquiry|document|programme|program"
    r"|research|paper|policy|strategy|scheme|experiment|devices?|products?|machines?|appliances?|units?|service|app"
    r"|software|systems?|tool|thing|company|organi[sz]ation|charity|firm|specification"
    r"|trying|meant|supposed|intended|designed|hop(?:e|ing)|aim(?:ing)?|do|does|achieve|show|prove|test|find out"
    r"|establish|answer|learn|main|overall|goal|purpose|objective|point|idea|want|know|look|at|for|to)\b",
    re.IGNORECASE,
)
"""Words for the whole that a document is about, and those that ask for its purpose: no button or clause of it."""


def _title_terms(tree: Tree) -> set[str]:
    """The terms of a document's name and of its first heading."""
    first = next(iter(tree.sections()), 0)
    return set(analyse(f"{tree.node(0).title} {tree.node(first).title}"))


def _find_first_told(tree: Tree, reading: Reading) -> list[tuple[int, int]]:
    """The first sentence of the introduction, where it begins with a word of the document's title."""
    section = next((each for each in tree.sections() if _BEGINS_TEXT.match(tree.node(each).title)), None)
    key = next((each for each in tree.leaves(section) if reading.pieces(each)), None) if section else None
    if key is None:
        return []
    for place, piece in enumerate(reading.pieces(key)):
        if _title_terms(tree) & set(analyse(" ".join(piece.text.split()[:FIRST_WORDS]))):
            return [(key, place)]
    return []


FIRST_WORDS = 4
"""Words of a sentence that name its subject, with a number or an article before it."""

_ASKS_OVERALL = re.compile(
    r"^\W*(?:so |and )?how (?:did|does|do|has|have|was|were|is|are)\b.*\b(?:overall|on the whole|all in all)\W*$",
    re.IGNORECASE,
)
"""A question for a judgement of the whole: "How did the season go overall?\""""
_JUDGES_ALL = re.compile(
    r"^\W*(?:[\d.]+\s+)?(?:taken as a whole|on the whole|overall|all in all|in sum|to sum up|in summary|altogether"
    r"|in conclusion|taken together),",
    re.IGNORECASE,
)
"""How a sentence begins that judges the whole."""


def find_conclusion(tree: Tree, reading: Reading, question: str) -> list[Span]:
    """The one sentence that judges the whole and names a thing asked about, with what goes on with it."""
    if not _ASKS_OVERALL.search(question):
        return []
    asked = set(analyse(_ASKS_OVERALL_WORDS.sub(" ", question)))
    found = [
        (key, place)
        for key in tree.leaves()
        if tree.kind(key) is NodeKind.PARAGRAPH
        for place, piece in enumerate(reading.pieces(key))
        if _JUDGES_ALL.match(piece.text) and asked & set(analyse(piece.text))
    ]
    if len(found) != 1:
        return []
    rule = reading.rule(*found[0])
    return [rule.sentence, *rule.rest]


_ASKS_OVERALL_WORDS = re.compile(r"\b(?:overall|on the whole|all in all|go|do|did|does|so)\b", re.IGNORECASE)


def _count_sentences(reading: Reading, topic: Topic, keys: Sequence[int]) -> int:
    """How many sentences of a part say the whole topic."""
    return sum(topic.share(piece.text) >= OTHERWISE for key in keys for piece in reading.pieces(key))


_USERS = (
    r"(?:you|(?:users?|guests?|members?|tenants?|visitors?|customers?|residents?|employees?|staff|hirers?|passengers?))"
)
_LISTED = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(lead, re.IGNORECASE))
    for asked, lead in (
        (
            r"\bwhat (?:could|might|can|may|would) (?:possibly )?go wrong\b"
            r"|\bwhat are the (?:main |principal |biggest )?(?:risks|dangers|threats)\b",
            r"\b(?:risks?|dangers?|threats?)\b[^:]{0,40}\b(?:are|include|were)\b[^:]{0,30}:\W*$",
        ),
        (
            rf"\bwhat (?:am i|are (?:we|{_USERS})) (?:not|never) (?:allowed|permitted) to\b"
            rf"|\bwhat (?:must|may|can) (?:i|we|{_USERS}) (?:not|never)\b|\bwhat (?:can['’]t|mustn['’]t) (?:i|we|you)\b"
            r"|\bwhat (?:is|are) (?:not allowed|forbidden|prohibited|banned)\b",
            rf"(?:\b{_USERS} (?:must not|may not|shall not|are not (?:allowed|permitted) to)"
            r"|\bfollowing (?:is|are) (?:not (?:allowed|permitted)|prohibited|forbidden))\b"
            r"(?:(?!\b(?:if|when|unless|where|until|appl\w+)\b)[^.:]){0,60}:\W*$",
        ),
        (
            r"\bwhat (?:actually |really )?caused\b|\b(?:which|what) (?:things|factors)\b[^?]*\bcaused\b"
            r"|\bwhat were the causes of\b",
            r"\bcaus(?:al|es?)\b[^.:]{0,40}\b(?:was|were|are|include)\b[^.:]{0,20}:\W*$",
        ),
        (
            r"\b(?:what|which) (?:personal )?(?:information|data|details)\b[^?]*"
            r"\b(?:collect|gather|hold|store|record)\b"
            r"[^?]*\b(?:about|on|of|from) (?:me|us|you|users|customers|visitors|members)\b",
            r"\bwe (?:may |also |only )?(?:collect|gather|hold|store|record)\b"
            r"(?! (?:it|this|these|them)\b)[^.:]{0,60}:\W*$"
            r"|\b(?:data|information|details)\b[^.:]{0,40}\b(?:collect|gather|stor|record)ed\b[^.:]{0,40}:\W*$",
        ),
    )
)
"""How lists are asked for that documents announce in few words of their own, and these: "The main risks are:"."""
_OF_ANYTHING = frozenset(
    analyse(
        "thing say said tell told actually really exactly all this that do does use app application service site"
        " website platform product device place company firm document"
    )
)
"""Terms that name whatever a document is about."""
_DENIES_CAUSE = re.compile(r"\b(?:no|not|none|nothing|neither|never)\b", re.IGNORECASE)
FEWEST_LISTED, MOST_LISTED = 2, 24
"""Items of such a list."""


def find_listed(tree: Tree, reading: Reading, question: str) -> list[Span]:
    """The one list that a document announces as what is asked for, with its lead-in; none where several are.

    What else the question names must stand in the list, in its lead-in or in what it stands below.
    """
    for asked, lead in _LISTED:
        if not asked.search(question):
            continue
        found = dict(_find_announced(tree, reading, lead, may_deny="not" in lead.pattern))
        rest = asked.sub(" ", question)
        terms = frozenset(analyse(rest)) - _OF_ANYTHING
        if len(found) != 1:
            return []
        [(announcing, items)] = found.items()
        words = " ".join((reading.words((announcing, *items)), *tree.path(items[0].key), tree.node(0).title))
        said = frozenset(analyse(words))
        said |= {term for other in other_wordings(rest) if said.issuperset(other.terms) for term in other.origin}
        return [announcing, *items] if terms <= said else []
    return []


def _find_announced(
    tree: Tree, reading: Reading, lead: re.Pattern[str], *, may_deny: bool
) -> Iterator[tuple[Span, tuple[Span, ...]]]:
    """Each lead-in of such words, with its items."""
    for key in tree.leaves():
        listed = reading.find_announced(key)
        announcing = reading.lead_in(listed) if listed is not None else None
        if listed is None or announcing is None:
            continue
        told = reading.words((announcing,))
        items = tuple(reading.items(listed))
        is_list = FEWEST_LISTED <= len(items) <= MOST_LISTED
        if is_list and lead.search(told) and (may_deny or not _DENIES_CAUSE.search(told)):
            yield announcing, items


MOST_FIRST = 40
"""Leaves at the beginning of a document among which its parties are named."""

_ROLES = (
    r"buyer|seller|purchaser|supplier|vendor|customer|client|contractor|subcontractor|provider|landlord|landlady"
    r"|tenants?|lessor|lessee|licensor|licensee|employer|employee|lender|borrower|sponsor|principal|agent|distributor"
    r"|manufacturer|owner|operator|hirer|insurer|insured|policyholder|guarantor|consultant|company|bank|carrier|shipper|franchisor"
    r"|franchisee|discloser|recipient|party [a-z0-9]|parties"
)
_NAMED = re.compile(
    r"\(\s*(?:hereinafter |referred to as |together |each )*(?:the |a )?[\"“‘']?(?:the )?[A-Z][\w ]{2,30}[\"”’']\s*\)"
)
_BETWEEN = re.compile(r"\b(?:between|by and among|by and between)\b.{3,400}?\band\b.{3,}", re.IGNORECASE | re.DOTALL)
_ROLE_LINE = re.compile(rf"^\W*(?:the )?(?:{_ROLES})\b[^:\n]{{0,20}}:\s*(?=\S)", re.IGNORECASE)


_MESSAGE_LINE = re.compile(r"(?P<name>From|To|Cc|Date): *\S[^\n]*", re.MULTILINE)
_LINES_ASKED = (
    (re.compile(r"\bwhen\b", re.IGNORECASE), ("Date",)),
    (re.compile(r"\b(?:received|got|recipients?|addressees?|to)\b", re.IGNORECASE), ("To", "Cc")),
    (re.compile(r""), ("From",)),
)
"""Which lines of a message's head are asked for, the first that fits."""


_SIGN_OFF = re.compile(
    r"\W*(?:yours (?:sincerely|faithfully|truly|ever)|(?:with )?(?:kind|best|warm|many) (?:regards|wishes|thanks)"
    r"|sincerely(?: yours)?|regards|respectfully(?: yours)?|faithfully|signed(?: by)?:?)\s*[,.]?"
    r"\s*(?P<name>$|(?-i:[A-Z])[^.!?]{3,80}$)",
    re.IGNORECASE,
)
"""How a letter ends before the name of whoever signed it."""
_ASKS_SIGNER = re.compile(r"\bsign(?:ed|s)?\b|\bwro?te\b|\bwritten\b|\bfrom\b", re.IGNORECASE)
MOST_SIGNED, LONGEST_SIGN_OFF = 3, 12
"""Lines of a signature: the name, the office and the house; and words of "Yours sincerely" with the name behind it."""


def find_message_lines(tree: Tree, question: str) -> list[Span]:
    """The lines of a message's head that say who sent it, to whom or when, or of its end that say who signed it.

    None of a document that is no message.
    """
    return _find_head_lines(tree, question) or (_find_signature(tree) if _ASKS_SIGNER.search(question) else [])


def _find_signature(tree: Tree) -> list[Span]:
    """The lines behind the last "Yours sincerely", up to the end of their paragraph."""
    lines = [
        (key, match.start(), match.group())
        for key in tree.leaves()
        if tree.kind(key) is NodeKind.PARAGRAPH
        for match in re.finditer(r"[^\n]*[^\s][^\n]*", tree.node(key).text)
    ]
    ends = [
        (place, match)
        for place, (_, _, line) in enumerate(lines)
        if (match := _SIGN_OFF.match(line)) and len(line.split()) <= LONGEST_SIGN_OFF
    ]
    place, match = ends[-1] if ends else (len(lines), None)
    if match is not None and match["name"]:
        below = [lines[place]]
    else:
        below = [line for line in lines[place + 1 : place + 1 + MOST_SIGNED] if line[0] == lines[place + 1][0]]
    return [Span(key, start, start + len(line.rstrip())) for key, start, line in below]


def _find_head_lines(tree: Tree, question: str) -> list[Span]:
    key = next((key for key in tree.leaves() if tree.kind(key) is NodeKind.PARAGRAPH), None)
    text = tree.node(key).text if key is not None else ""
    lines = {match["name"]: match for match in _MESSAGE_LINE.finditer(text)}
    if key is None or "From" not in lines or not {"To", "Date"} & lines.keys() or not _MESSAGE_LINE.match(text):
        return []
    names = next(names for asked, names in _LINES_ASKED if asked.search(question))
    return [Span(key, lines[name].start(), lines[name].end()) for name in names if name in lines]


def find_parties(tree: Tree, reading: Reading) -> list[Span]:
    """The lines that name the parties: "between A and B", "Buyer: A", or paragraphs that end in (the “Buyer”)."""
    leaves = [key for key in tree.leaves() if tree.kind(key) in (NodeKind.PARAGRAPH, NodeKind.LIST)][:MOST_FIRST]
    for find in (_find_between, _find_named, _find_role_lines):
        found = find(tree, reading, leaves)
        if found:
            return found
    return []


def _find_between(tree: Tree, reading: Reading, leaves: Sequence[int]) -> list[Span]:
    for key in leaves:
        for piece in reading.pieces(key):
            match = _BETWEEN.search(piece.text)
            if match and len(re.findall(r"\b[A-Z][\w&.’'-]+", match.group())) > 1 and _NAMED.search(match.group()):
                return [Span(key, piece.start, piece.end)]
    return []


def _find_named(tree: Tree, reading: Reading, leaves: Sequence[int]) -> list[Span]:
    found = [
        Span(key, piece.start, piece.end)
        for key in leaves
        for piece in reading.pieces(key)
        if _NAMED.search(piece.text) and re.search(rf"\b(?:{_ROLES})\b", _NAMED.findall(piece.text)[-1], re.IGNORECASE)
    ]
    return found[:4] if len(found) > 1 else []


def _find_role_lines(tree: Tree, reading: Reading, leaves: Sequence[int]) -> list[Span]:
    """Lines such as "Buyer: A Ltd, Leeds", at least two of them in one text or in neighbours."""
    found: list[Span] = []
    for key in leaves:
        text, start = tree.node(key).text, 0
        for line in text.splitlines(keepends=True):
            if _ROLE_LINE.match(line) and line.strip().lower() not in ("", ":"):
                found.append(Span(key, start, start + len(line.rstrip())))
            start += len(line)
        if len(found) > 1:
            return found[:6]
        found = found if found and tree.parent(key) == tree.parent(found[-1].key) else []
    return []


_RUNS = re.compile(
    r"\b(?:agreement|contract|lease|tenancy|subscription|licen[cs]e|it|policy|engagement|appointment|employment|term)\b"
    r"[^.;]{0,60}\b(?:runs?|lasts?|begins?|starts?|commences?|continues?|(?:is|are) (?:made|concluded"
    r"|entered into|valid|fixed|granted) (?:for|until)|(?:shall )?(?:be|remains?) in (?:force|effect)|expires?|ends? on"
    r"|for a (?:\w+ )?term)\b"
    r"[^.;]{0,120}?(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|\w+ty-\w+)\b)"
    r"[^.;]{0,40}?(?:years?|months?|weeks?|days?|(?:19|20)\d\d)",
    re.IGNORECASE,
)
_RENEWS = re.compile(
    r"\b(?:renew\w*|extend\w*|prolong\w*|continues?|after (?:the|that|this) (?:fixed |initial )?term)\b", re.IGNORECASE
)
_TERM_HEADING = re.compile(r"\b(?:term|duration|commencement|period|validity)\b", re.IGNORECASE)


ASKS_END = re.compile(
    r"\bwhen (?:does|do|will|is|did) (?:the|this|our|my) (?P<kind>(?:[\w-]+ ){0,2})(?:contract|agreement|lease|tenancy)"
    r" (?:end|expire|run out|over|finish|finished|terminate)\W*$",
    re.IGNORECASE,
)
"""A question for the end of a contract, which stands where it is said how long it runs."""


def find_term(tree: Tree, reading: Reading) -> list[Span]:
    """The sentence that says how long a contract runs, with the next ones on its renewal; none when no one does."""
    rated: list[tuple[int, int, int]] = []
    for key in tree.leaves():
        if tree.kind(key) not in (NodeKind.PARAGRAPH, NodeKind.LIST):
            continue
        heading = " ".join((*tree.path(key)[-1:], _title_line(tree, key), tree.node(key).text[:40]))
        for place, piece in enumerate(reading.pieces(key)):
            if _RUNS.search(piece.text):
                rated.append((-bool(_TERM_HEADING.search(heading)), key, place))
    if not rated:
        return []
    _, key, place = min(rated)
    found = [(key, piece) for piece in reading.pieces(key)[place : place + 1]]
    following = [(key, piece) for piece in reading.pieces(key)[place + 1 : place + 3]]
    near = [other for other in tree.leaves() if key < other <= key + 2]
    following += [(other, piece) for other in near for piece in reading.pieces(other)[:1]]
    found += [(other, piece) for other, piece in following if _RENEWS.search(piece.text) or _RUNS.search(piece.text)][
        :2
    ]
    return [Span(other, piece.start, piece.end) for other, piece in found]


_TELEPHONE = re.compile(
    r"(?:\b(?:tel(?:ephone)?|phone|mobile|hotline|call|dial|fax)\b\W{0,3}(?:(?:no|number)\b\W{0,3})?|\+"
    r"|\b(?=\d{3}\.\d{3}\.\d{4})|(?=\(\d{3}\) ?\d{3}-\d{4})|\b(?=\d{3}-\d{3}-\d{4}))"
    r"(?P<value>[\d(][\d ()./–-]{5,18}\d)(?!\d)",
    re.IGNORECASE,
)
_MAIL = re.compile(r"(?P<value>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)")
_WAYS = (
    (re.compile(r"\be-?mail\b", re.IGNORECASE), _MAIL),
    (re.compile(r"\b(?:tele)?phone\b|\bnumber (?:do|can|shall|should|must|may)\b", re.IGNORECASE), _TELEPHONE),
)
"""How a question asks for an address of mail or a telephone number, and how these look."""
_CONTACT_WORDS = frozenset(
    analyse("email e-mail mail address telephone phone tel number no call dial contact reach get document report paper")
)
SHORT_LINE, BEFORE_CONTACT = 70, 2
"""Characters of a line that may say whose number the next one is, at most, and how many such lines are looked at."""


_ASKS_REGISTERED = re.compile(
    r"\b(?:(?P<debt>debt securities|debt|notes|bonds|debentures)|(?P<equity>shares|stocks?)|securities)\b[^?;]*"
    r"\b(?:registered|listed|trad(?:e|es|ed|ing))\b[^?;]*\b(?:exchanges?|section 12)\b",
    re.IGNORECASE,
)
_REGISTERED = re.compile(r"\bregistered (?:pursuant to|under) section 12\s?\(b\)", re.IGNORECASE)
_DEBT = re.compile(r".*(?:\b(?:notes?|bonds?|debentures?|debt)\b|\bdue (?:19|20)\d\d\b)", re.IGNORECASE | re.DOTALL)
_EQUITY = re.compile(r".*\b(?:shares?|stocks?|units?|adss?)\b", re.IGNORECASE | re.DOTALL)
_ANY_CLASS = re.compile(r"(?!\W*title of each class).*\w", re.IGNORECASE | re.DOTALL)
TO_TABLE = 4
"""Nodes from the words that announce registered securities to the table of them, at most."""


def find_registered(tree: Tree, reading: Reading, question: str) -> list[Span]:
    """The rows on a filing's cover that name the securities of the kind asked for, behind the words that announce them.

    None where no such row stands there: that a firm has none is not said in so many words.
    """
    asked = _ASKS_REGISTERED.search(question)
    if asked is None:
        return []
    announced = next((key for key in range(len(tree)) if _REGISTERED.search(tree.node(key).text)), 0)
    below = range(announced + 1, min(announced + TO_TABLE, len(tree))) if announced else ()
    table = next((key for key in below if tree.kind(key) is NodeKind.TABLE), None)
    if table is None:
        return []
    kind = _DEBT if asked["debt"] else _EQUITY if asked["equity"] else _ANY_CLASS
    rows = [Span(table, row.start, row.end) for row in reading.pieces(table) if kind.match(row.text.split("\t")[0])]
    return [Span(announced, 0, len(tree.node(announced).text)), *rows] if rows else []


def find_contact(tree: Tree, reading: Reading, question: str) -> list[Span]:
    """The telephone number or mail address asked for, with the line that says whose it is; none where it is unclear.

    It is the only one of the document, or the only one among those whose lines or headings say most of the question.
    """
    way = next((looks for asked, looks in _WAYS if asked.search(question)), None)
    if way is None:
        return []
    wanted = set(analyse(question)) - _CONTACT_WORDS
    found: list[tuple[int, str, list[Span]]] = []
    keys = sorted({*tree.leaves(), *(key for key in tree.sections() if states_something(tree.node(key).text))})
    for key in keys:
        for piece in reading.pieces(key):
            for match in way.finditer(piece.text):
                before = _lines_before(tree, key)
                said = " ".join((piece.text, *tree.path(key), *(tree.node(other).text for other in before)))
                named = _count_named_in(match["value"], question)
                owned = len(wanted & set(analyse(said))) + named
                above = () if named else [other for other in before[-1:] if tree.is_leaf(other)]
                spans = [Span(other, 0, len(tree.node(other).text)) for other in above]
                value = re.sub(r"\W", "", match["value"]).casefold()
                found.append((owned, value, [*spans, Span(key, piece.start, piece.end)]))
    best = max((owned for owned, *_ in found), default=0)
    if wanted and not best:
        return []
    best_found = [(value, spans) for owned, value, spans in found if owned == best]
    return best_found[0][1] if len({value for value, _ in best_found}) == 1 else []


def _lines_before(tree: Tree, key: int) -> list[int]:
    """The short lines right before a node, such as a name and what announces it, in reading order."""
    found: list[int] = []
    for other in range(key - 1, max(0, key - 1 - BEFORE_CONTACT), -1):
        text = tree.node(other).text
        if not text or len(text) > SHORT_LINE or text.rstrip().endswith(".") or tree.kind(other) is NodeKind.TABLE:
            break
        found.append(other)
    return found[::-1]


def _count_named_in(value: str, question: str) -> int:
    """How many long words of the question an address of mail holds: "ines.falk@port.example" those of Ines Falk."""
    words = re.findall(r"[^\W\d_]{4,}", question.casefold()) if "@" in value else ()
    return sum(word in value.casefold() for word in words)
