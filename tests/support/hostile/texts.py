"""Hostile pages, messages, texts, rows of cells, and file names."""

from tests.support.hostile.case import SECRET, Bait, Hostile
from tests.support.hostile.packages import KEPT

DOCTYPE = "<!doctype html>"
SAID = KEPT.encode()


def reaching_page(bait: Bait) -> bytes:
    """Everything in a page that a browser would fetch or run."""
    url, file = bait.url, f"file://{bait.file}"
    return f"""{DOCTYPE}<html manifest="{url}"><head><base href="{url}">
<meta http-equiv="refresh" content="0;url={url}">
<link rel="stylesheet" href="{url}"><link rel="preload" href="{url}" as="script"><style>@import "{url}";</style>
<script src="{url}"></script><script>fetch("{url}"); steal()</script></head>
<body background="{url}" onload="steal()"><p onclick="steal()" style="background:url({url})">{KEPT}</p>
<img src="{url}" srcset="{url} 2x"><iframe src="{file}"></iframe><object data="{file}"></object><embed src="{url}">
<video src="{url}" poster="{url}"></video><svg><image href="{url}"/><use href="{file}#a"/><script>steal()</script></svg>
<form action="{url}"><input type="image" src="{url}"></form><a href="javascript:steal()" ping="{url}">A link</a>
</body></html>""".encode()


def svg_entities(bait: Bait) -> bytes:
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    return f"""<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a0 "ha">{laughs}<!ENTITY f SYSTEM "file://{bait.file}">]>
<html><body><svg><text>&f;&a11;</text></svg><p>{KEPT}</p></body></html>""".encode()


def page(content: str) -> bytes:
    return f"{DOCTYPE}<html><body><p>{KEPT}</p>{content}</body></html>".encode()


def mail(headers: str = "", text: str = KEPT) -> bytes:
    return f"From: a@example.com\nTo: b@example.com\nSubject: Lease\nMIME-Version: 1.0\n{headers}\n\n{text}\n".encode()


def many_parts(count: int) -> bytes:
    part = "--b\nContent-Type: text/plain\n\nPart.\n"
    attached = '--b\nContent-Type: application/pdf; name="../../a.pdf"\nContent-Disposition: attachment\n\nx\n'
    head = 'Content-Type: multipart/mixed; boundary="b"'
    return mail(head, f"--b\nContent-Type: text/plain\n\n{KEPT}\n" + (part + attached) * (count // 2) + "--b--")


def nested_parts(depth: int) -> bytes:
    text = f"Content-Type: text/plain\n\n{KEPT}\n"
    for number in range(depth):
        text = f'Content-Type: multipart/mixed; boundary="b{number}"\n\n--b{number}\n{text}\n--b{number}--\n'
    return b"From: a@example.com\nTo: b@example.com\nSubject: Lease\nMIME-Version: 1.0\n" + text.encode()


def letters_in_letters(depth: int) -> bytes:
    text = mail().decode()
    for _ in range(depth):
        head = "From: a@example.com\nTo: b@example.com\nSubject: Forward\nMIME-Version: 1.0\n"
        text = f"{head}Content-Type: message/rfc822\n\n{text}"
    return text.encode()


def outside_body(bait: Bait) -> bytes:
    head = 'Content-Type: multipart/mixed; boundary="b"'
    outside = (
        f'--b\nContent-Type: message/external-body; access-type=URL; URL="{bait.url}"\n\nContent-Type: text/plain\n\n'
    )
    local = f'--b\nContent-Type: message/external-body; access-type=local-file; name="{bait.file}"\n\n\n'
    return mail(head, f"--b\nContent-Type: text/plain\n\n{KEPT}\n{outside}{local}--b--")


def _name(name: str) -> Hostile:
    return Hostile(lambda _: f"# Lease\n\n{KEPT}\n".encode(), name, keeps=KEPT)


NAMES = {
    "climbs": "../../../../etc/passwd.md",
    "climbs with backslashes": "..\\..\\windows\\system32\\drivers.md",
    "is absolute": "/etc/cron.d/job.md",
    "is reserved": "CON.md",
    "is a device": "aux.txt",
    "is 300 characters": "n" * 297 + ".md",
    "is 5,000 characters": "n" * 4_997 + ".md",
    "runs backwards": "invoice\u202efdp.md",
    "has invisible characters": "in\u200bvoice\ufeff\u2066.md",
    "has line ends": "a\r\nX-Header: b\n.md",
    "has a NUL": "a\0.md",
    "is markup": "<img src=x onerror=alert(1)>.md",
    "is a command": "$(touch x);`id`|-rf.md",
    "is dots": "....md",
    "is a template": "{{ settings.SECRET_KEY }}{% load x %}.md",
    "is a hidden file": ".htaccess",
}

TEXTS: dict[str, Hostile] = {
    "html: reaches outside in every way": Hostile(reaching_page, "p.html", keeps=KEPT, leaves=(SECRET, "steal")),
    "html: entities in a picture": Hostile(svg_entities, "p.html", keeps=KEPT, leaves=(SECRET, "ha" * 50)),
    "html: 200,000 elements in each other": Hostile(lambda _: page("<div>" * 200_000), "p.html", keeps=KEPT),
    "html: a table of a billion cells": Hostile(
        lambda _: page('<table><tr><td colspan="999999999" rowspan="999999999">a</td></tr><tr><td>b</table>'),
        "p.html",
        keeps=KEPT,
    ),
    "html: 3,000 columns that span": Hostile(
        lambda _: page("<table>" + ("<tr>" + '<td colspan="1000" rowspan="65534">a</td>' * 300) * 30 + "</table>"),
        "p.html",
        keeps=KEPT,
    ),
    "html: an attribute of ten megabytes": Hostile(
        lambda _: page(f'<p title="{"x" * 10_000_000}">'), "p.html", keeps=KEPT
    ),
    "html: a picture in itself": Hostile(
        lambda _: page(f'<img src="data:image/png;base64,{"A" * 5_000_000}">'), "p.html", keeps=KEPT
    ),
    "html: NULs in its marks": Hostile(lambda _: page("<scr\0ipt>steal()</scr\0ipt><\0p>b"), "p.html", "binary_file"),
    "html: nothing but a script": Hostile(
        lambda _: f"{DOCTYPE}<body><script>steal()</script></body>".encode(), "p.html", "no_text"
    ),
    "html: under the name of a PDF": Hostile(lambda _: page(""), "p.pdf", "html_named_pdf"),
    "html: under the name of a Word document": Hostile(lambda _: page("<b>b</b>"), "p.docx", keeps=KEPT),
    "html: in wide characters without a mark": Hostile(
        lambda _: page("").decode().encode("utf-16-le"), "p.html", keeps=KEPT
    ),
    "html: an encoding that is a program's": Hostile(
        lambda _: f'{DOCTYPE}<meta charset="zlib_codec"><p>{KEPT} caf'.encode() + b"\xe9", "p.html", keeps=KEPT
    ),
    "md: quotes in each other": Hostile(lambda _: b">" * 50_000 + b" deep\n\n" + SAID, "n.md", keeps=KEPT),
    "md: lists in each other": Hostile(
        lambda _: "\n".join(f"{'  ' * n}- deep" for n in range(1_500)).encode() + b"\n\n# Lease\n\n" + SAID,
        "n.md",
        keeps=KEPT,
    ),
    "md: brackets that never close": Hostile(lambda _: SAID + b"\n\n" + b"[" * 40_000, "n.md", keeps=KEPT),
    "md: stars without end": Hostile(lambda _: SAID + b"\n\n" + b"*a_ **b" * 30_000, "n.md", keeps=KEPT),
    "md: ticks of every length": Hostile(
        lambda _: SAID + b"\n\n" + b" ".join(b"`" * n for n in range(1_500)), "n.md", keeps=KEPT
    ),
    "md: pictures and pages of others": Hostile(
        lambda bait: (
            f"# Lease\n\n{KEPT}\n\n![a]({bait.url})\n\n<script>steal()</script>\n\n[b]: file://{bait.file}".encode()
        ),
        "n.md",
        keeps=KEPT,
        leaves=(SECRET,),
    ),
    "md: a table of 10,000 columns": Hostile(
        lambda _: SAID + b"\n\n" + b"|a" * 10_000 + b"|\n" + b"|-" * 10_000 + b"|\n" + b"|b" * 10_000 + b"|\n",
        "n.md",
        keeps=KEPT,
    ),
    "rst: files that it wants to hold": Hostile(
        lambda bait: (
            f"Lease\n=====\n\n{KEPT}\n\n.. include:: {bait.file}\n\n.. raw:: html\n   :file: {bait.file}\n\n"
            f".. csv-table::\n   :url: {bait.url}\n\n.. image:: {bait.url}\n"
        ).encode(),
        "n.rst",
        keeps=KEPT,
        leaves=(SECRET,),
    ),
    "rst: quotes in each other": Hostile(
        lambda _: (f"Lease\n=====\n\n{KEPT}\n\n" + "\n\n".join(" " * n + "deep" for n in range(1_500))).encode(),
        "n.rst",
        keeps=KEPT,
    ),
    "json: a number of 300,000 digits": Hostile(
        lambda _: b'{"lease": "' + SAID + b'", "n": ' + b"9" * 300_000 + b"}", "n.json", keeps=KEPT
    ),
    "json: one name 60,000 times": Hostile(
        lambda _: b'{"lease": "' + SAID + b'"' + b', "n": 1' * 60_000 + b"}", "n.json"
    ),
    "rtf: objects and outside pictures": Hostile(
        lambda bait: (
            b"{\\rtf1 "
            + SAID
            + b"\\par {\\object\\objemb{\\*\\objdata 4d5a90"
            + b"00" * 5_000
            + b"}}"
            + f'{{\\field{{\\*\\fldinst INCLUDEPICTURE "{bait.url}"}}{{\\fldrslt x}}}}'.encode()
            + f"{{\\*\\template {bait.url}}}}}".encode()
        ),
        "n.rtf",
        keeps=KEPT,
        leaves=("4d5a90", "INCLUDEPICTURE"),
    ),
    "rtf: binary data of a false length": Hostile(
        lambda _: b"{\\rtf1 " + SAID + b"\\par \\bin999999999 abc}", "n.rtf", keeps=KEPT
    ),
    "csv: formulas": Hostile(
        lambda bait: f'Name,Value\n"=HYPERLINK(""{bait.url}"")",1\n=cmd|\' /C calc\'!A0,2\n{KEPT},3\n'.encode(),
        "r.csv",
        keeps=KEPT,
    ),
    "csv: a quote that never closes": Hostile(
        lambda _: f'Name,Value\n{KEPT},1\n"'.encode() + b"a,b\n" * 100_000, "r.csv", keeps=KEPT
    ),
    "csv: a million columns": Hostile(lambda _: SAID + b"," * 1_000_000 + b"\n1,2\n", "r.csv", keeps=KEPT),
    "csv: a cell of two megabytes": Hostile(
        lambda _: b"Name,Value\n" + SAID + b",1\n" + b"x" * 2_000_000 + b",2\n", "r.csv", keeps=KEPT
    ),
    "txt: wide characters without a mark": Hostile(lambda _: KEPT.encode("utf-16-be"), "n.txt", keeps=KEPT),
    "txt: three encodings at once": Hostile(
        lambda _: SAID * 20 + " Zürich ".encode() + "Zürich ".encode("latin-1") + "Zürich".encode("utf-16-le"),
        "n.txt",
        keeps=KEPT,
    ),
    "txt: NULs between its words": Hostile(lambda _: SAID.replace(b" ", b"\0 "), "n.txt", "binary_file"),
    "txt: nothing but NULs": Hostile(lambda _: b"\0" * 100_000, "n.txt", "empty_file"),
    "txt: nothing but marks": Hostile(lambda _: "\ufeff\ufeff \n".encode(), "n.txt", "empty_file"),
    "txt: letters written too long": Hostile(
        lambda _: SAID + b" \xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf\xed\xa0\x80\xf8\x88\x80\x80\x80", "n.txt", keeps=KEPT
    ),
    "txt: one word of two megabytes": Hostile(lambda _: SAID + b"\n\n" + b"x" * 2_000_000, "n.txt", keeps=KEPT),
    "txt: a million empty lines": Hostile(lambda _: SAID + b"\n" * 1_000_000 + b"End.", "n.txt", keeps=KEPT),
    "txt: one letter with a million marks": Hostile(
        lambda _: SAID + b"\n\ne" + "\u0301".encode() * 1_000_000, "n.txt", keeps=KEPT
    ),
    "txt: turned round and hidden": Hostile(
        lambda _: (KEPT + " \u202eyaM ni sdne\u202c \u2066x\u2069 \u200b\u200b \x1b[31mred\x1b[0m").encode(),
        "n.txt",
        keeps=KEPT,
    ),
    "txt: a program": Hostile(lambda _: b"MZ\x90\0" + bytes(range(256)) * 30, "n.txt", "unsupported_type"),
    "txt: random bytes": Hostile(lambda _: bytes((n * 7919 >> 3) % 256 for n in range(50_000)), "n.txt", "binary_file"),
    "docx: a program": Hostile(lambda _: b"\x7fELF" + bytes(5_000), "n.docx", "unsupported_type"),
    "docx: an older document": Hostile(lambda _: b"\xd0\xcf\x11\xe0" + bytes(5_000), "n.docx", "encrypted_docx"),
    "xls: nothing behind its mark": Hostile(lambda _: b"\xd0\xcf\x11\xe0" + bytes(5_000), "n.xls", "damaged_xls"),
    "csv: a compressed file": Hostile(lambda _: b"\x1f\x8b\x08" + bytes(5_000), "n.csv", "unsupported_type"),
    "eml: 600 parts": Hostile(lambda _: many_parts(600), "m.eml", keeps=KEPT, told="were refused"),
    "eml: 2,000 parts in each other": Hostile(lambda _: nested_parts(2_000), "m.eml", "nested_too_deeply"),
    "eml: 300 letters in each other": Hostile(lambda _: letters_in_letters(300), "m.eml"),
    "eml: a body elsewhere": Hostile(outside_body, "m.eml", keeps=KEPT, leaves=(SECRET,)),
    "eml: an encoding that is a program's": Hostile(
        lambda _: mail(
            "Content-Type: text/plain; charset=zlib_codec\nContent-Transfer-Encoding: base64", "eJxLTAIAAk0BJw=="
        ),
        "m.eml",
    ),
    "eml: a header of five megabytes": Hostile(lambda _: mail("X-Long: " + "x" * 5_000_000), "m.eml", keeps=KEPT),
    "eml: 100,000 headers": Hostile(lambda _: mail("\n".join(["X-Many: 1"] * 100_000)), "m.eml", keeps=KEPT),
    "eml: a boundary that never comes": Hostile(
        lambda _: mail('Content-Type: multipart/mixed; boundary="b"', KEPT + "\n--c\n" * 10_000), "m.eml"
    ),
    "eml: names encoded in each other": Hostile(
        lambda _: mail("Cc: " + "=?utf-8?b?" * 20_000 + ", <" * 20_000), "m.eml", keeps=KEPT
    ),
    **{f"name: {what}": _name(name) for what, name in NAMES.items()},
}
