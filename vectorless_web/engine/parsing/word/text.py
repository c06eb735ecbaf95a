"""The words of a Word paragraph: runs, fields, inserted and moved text; not what was deleted or is hidden."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from vectorless_web.engine.parsing.markup.blocks import remove_invisible
from vectorless_web.engine.parsing.markup.plaintext import mark_superscript
from vectorless_web.engine.parsing.word.package import child, local, value
from vectorless_web.engine.parsing.word.styles import is_on

_PASSED = frozenset(
    ("pPr", "rPr", "del", "moveFrom", "instrText", "delText", "rt", "Fallback", "sectPr", "tblPr", "tcPr")
)
_DRAWN = frozenset(("drawing", "pict", "object"))
_BREAKS = {"br": "\n", "cr": "\n", "tab": " ", "ptab": " ", "noBreakHyphen": "-"}
_NOTES = ("footnoteReference", "endnoteReference")
# Signs of the symbol fonts that contracts and forms use; others are shown as a dot.
_SYMBOLS = {0x6F: "☐", 0xA8: "☐", 0xFC: "✓", 0xFB: "✗", 0xFD: "☒", 0xFE: "☑", 0xD3: "©", 0xE2: "®", 0xE4: "™"}


@dataclass(slots=True)
class Words:
    """What a paragraph says. `boxes`: text boxes anchored in it; `notes`: (footnote|endnote, id) in order."""

    text: str = ""
    strong: bool = False
    boxes: list[etree._Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def list_children(element: etree._Element) -> list[etree._Element]:
    """The children that count: of alternatives, the first with content, else the fallback."""
    if local(element) != "AlternateContent":
        return [own for own in element if local(own) not in _PASSED]
    branches = [own for own in element if local(own) == "Choice" and len(own)]
    return branches[:1] or [part for own in element if local(own) == "Fallback" for part in own]


def paragraph_words(paragraph: etree._Element, *, bold: bool = False) -> Words:
    """Read a paragraph; `bold` is what its style says."""
    words, said, plain = Words(), [""], False
    for properties, part in _run_parts(paragraph):
        name = local(part)
        if is_on(properties, "vanish"):
            continue
        if name in _NOTES:
            words.notes.append((name.removesuffix("Reference"), value(part, "id")))
        elif name in _DRAWN:
            words.boxes.extend(_text_boxes(part))
        else:
            text = _read_run_part(name, part)
            if value(child(properties, "vertAlign")) == "superscript":
                text = mark_superscript("".join(said[-4:]), text)
            own = is_on(properties, "b")
            plain = plain or (bool(text.strip()) and not (bold if own is None else own))
            said.append(text)
    words.text = "\n".join(" ".join(line.split()) for line in remove_invisible("".join(said)).split("\n")).strip()
    words.strong = bool(words.text) and not plain
    return words


def _run_parts(paragraph: etree._Element) -> Iterator[tuple[etree._Element | None, etree._Element]]:
    """(properties of its run, part) in reading order; drawings whole. Properties are looked for once a run."""
    stack: list[tuple[etree._Element | None, etree._Element]] = [
        (None, own) for own in reversed(list_children(paragraph))
    ]
    while stack:
        properties, element = stack.pop()
        name = local(element)
        if name in _DRAWN or name in _NOTES or name in _BREAKS or name in ("t", "sym"):
            yield properties, element
        else:
            own_properties = child(element, "rPr") if name == "r" else properties
            stack.extend((own_properties, own) for own in reversed(list_children(element)))


def _read_run_part(name: str, part: etree._Element) -> str:
    if name == "t":
        return part.text or ""
    if name != "sym":
        return _BREAKS[name]
    code = value(part, "char")
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return _SYMBOLS.get(number & 0xFF, "•") if 0xF000 <= number <= 0xF0FF else chr(number) if number < 0xD800 else ""


def _text_boxes(drawn: etree._Element) -> list[etree._Element]:
    """The outermost text boxes of a drawing."""
    found, stack = [], [drawn]
    while stack:
        element = stack.pop()
        if local(element) == "txbxContent":
            found.append(element)
        else:
            stack.extend(reversed(list_children(element)))
    return found
