"""The evidence bundle: what is in it, and that `verify` notices whatever was changed."""

import hashlib
import json
import shutil
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.runs.conftest import say
from tests.support.compiled import compiled_document
from vectorless_web.documents.models import Document
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.runs.export.bundle_check import check_bundle
from vectorless_web.runs.export.exports import bundle_of
from vectorless_web.runs.models import Answer, Run

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

TEXT = """# Annual report

Revenue was 412 million in 2024, after 386 million.

# Outlook

The company expects a well-
balanced year.
"""
QUOTES = ("Revenue was 412 million in 2024", "a well-\nbalanced year")


@pytest.fixture
def paper(workspace, alice, settings, tmp_path) -> Document:
    """A small text that was really read."""
    settings.RENDER_SOCKET = tmp_path / "none.sock"
    return compiled_document(workspace, alice, TEXT.encode(), "paper.txt")


@pytest.fixture
def run(make_run, paper) -> Run:
    """An answered run whose quotes stand in the text."""
    run = make_run(status="answered", reason="Answered.")
    run.versions.add(paper.current_version)
    Answer.objects.create(run=run, markdown="412 million. [1]", value="412 million", confidence=1.0)
    for quote in QUOTES:
        say(run, quote, (quote, 0, {"spans": [[0, TEXT.index(quote), len(quote)]]}))
    return run


@pytest.fixture
def bundle(run, tmp_path) -> Path:
    path = tmp_path / "bundle.zip"
    path.write_bytes(bundle_of(run))
    return path


@pytest.fixture
def original(tmp_path) -> Path:
    path = tmp_path / "paper.txt"
    path.write_text(TEXT)
    return path


def changed(bundle: Path, name: str, change) -> Path:
    """The bundle with one file changed; `change` gets its bytes, and None takes it out."""
    files = {entry: zipfile.ZipFile(bundle).read(entry) for entry in zipfile.ZipFile(bundle).namelist()}
    data = change(files.get(name, b""))
    files = {**files, name: data} if data is not None else {path: kept for path, kept in files.items() if path != name}
    target = bundle.with_name("changed.zip")
    with zipfile.ZipFile(target, "w") as archive:
        for path, kept in files.items():
            archive.writestr(path, kept)
    return target


def resealed(bundle: Path, name: str, change) -> Path:
    """The same by somebody who also mends the manifest."""
    forged = changed(bundle, name, change)
    data = zipfile.ZipFile(forged).read(name)

    def mend(manifest: bytes) -> bytes:
        rows = json.loads(manifest)
        for row in rows["files"]:
            if row["path"] == name:
                row["sha256"] = hashlib.sha256(data).hexdigest()
        return json.dumps(rows).encode()

    return changed(forged, "manifest.json", mend)


def test_a_member_downloads_all_that_holds_an_answer_up_and_nothing_is_wrong_with_it(
    bundle, run, original, client, bob
):
    report = check_bundle(bundle, [original])
    assert report.wrong == []
    assert "At their place in paper.txt itself: 2 of 2 quotes." in report.good

    client.force_login(bob)
    answer = client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/export/bundle/")
    assert answer["Content-Disposition"] == f'attachment; filename="run-{run.pk}-what-was-revenue.zip"'
    assert answer.content == bundle.read_bytes(), "the same run makes the same bytes"
    archive = zipfile.ZipFile(bundle)
    stem = f"pages/{run.citations.first().sha256[:16]}-p0001"

    assert {"answer.md", "answer.json", "trace.json", "quotes.json", "settings.json", f"{stem}.txt"} <= {
        *archive.namelist()
    }
    assert json.loads(archive.read("quotes.json"))[0]["characters"] == [
        {"page": 1, "start": TEXT.index(QUOTES[0]), "length": len(QUOTES[0])}
    ]


def test_a_file_that_was_changed_taken_out_or_put_in_is_noticed(bundle):
    for name in ("answer.md", "answer.json", "quotes.json", "trace.json", "settings.json"):
        report = check_bundle(changed(bundle, name, lambda data: data.replace(b"412", b"421") + b" "))
        assert f"{name} was altered: it does not have the SHA-256 of the manifest." in report.wrong
    assert "trace.json is missing." in check_bundle(changed(bundle, "trace.json", lambda _data: None)).wrong
    assert "more.txt is not in the manifest." in check_bundle(changed(bundle, "more.txt", lambda _data: b"x")).wrong


@pytest.mark.parametrize(("name", "said"), [("bomb.bin", 200 * 2**20), ("manifest.json", 2**20)])
def test_a_small_zip_that_unpacks_to_much_is_refused_before_it_is_read(tmp_path, name, said):
    """Also when its entry says that it is small: no more is unpacked than it says."""
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(200 * 2**20))
    data = path.read_bytes()
    path.write_bytes(data.replace((200 * 2**20).to_bytes(4, "little"), said.to_bytes(4, "little")))
    tracemalloc.start()

    with pytest.raises(InvalidInput):
        check_bundle(path)

    assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    tracemalloc.stop()


def test_a_file_that_stands_in_it_twice_is_noticed(bundle):
    with zipfile.ZipFile(bundle, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("answer.md", "Something else.")

    assert "answer.md is in the zip more than once." in check_bundle(bundle).wrong


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows[0].update(quote="Revenue was 421 million in 2024"), "do not cite the same"),
        (lambda rows: rows[0]["characters"][0].update(start=3), "[1] does not stand at its place"),
        (lambda rows: rows[0]["characters"][0].update(page=9), "names a page that"),
        (lambda rows: rows.pop(), "cites [2]"),
        (lambda rows: rows[0].pop("check"), "not in the form"),
    ],
    ids=["words", "place", "page", "taken out", "form"],
)
def test_a_forger_who_mends_the_manifest_is_found_out_by_the_quotes(bundle, original, change, words):
    def forge(data: bytes) -> bytes:
        rows = json.loads(data)
        change(rows)
        return json.dumps(rows).encode()

    report = check_bundle(resealed(bundle, "quotes.json", forge), [original])

    assert any(words in sentence for sentence in report.wrong)


def test_words_that_are_said_to_stand_there_nearly_must_stand_there_all_the_same(bundle, original):
    def forge(data: bytes) -> bytes:
        rows = json.loads(data)
        told = rows if isinstance(rows, list) else rows["citations"]
        told[0].update(quote="Revenue was 421 million in 2024", check="fuzzy")
        return json.dumps(rows).encode()

    forged = resealed(bundle, "quotes.json", forge)
    shutil.copy(forged, bundle)
    report = check_bundle(resealed(bundle, "answer.json", forge), [original])

    assert "[1] does not stand at its place in paper.txt." in report.wrong
    assert "At their place in paper.txt itself: 1 of 2 quotes." in report.good


def test_a_page_text_that_was_forged_is_found_out_by_the_document(bundle, original, run):
    name = f"pages/{run.citations.first().sha256[:16]}-p0001.txt"
    forged = resealed(bundle, name, lambda data: data + b"More words.")

    assert check_bundle(forged).wrong == []
    assert any("page text of [1]" in sentence for sentence in check_bundle(forged, [original]).wrong)


def test_the_fingerprint_stands_for_the_whole(bundle):
    fingerprint = check_bundle(bundle).fingerprint

    assert check_bundle(bundle, fingerprint=fingerprint.upper()).wrong == []
    forged = resealed(bundle, "settings.json", lambda _data: b"{}")
    assert check_bundle(forged, fingerprint=fingerprint).wrong


def test_what_is_no_zip_or_has_no_manifest_of_ours_is_no_bundle(bundle, tmp_path):
    for manifest in (b"{}", b"[]", b"null", b'{"format": "x"', b'{"format": 1, "version": 1, "files": [1]}'):
        with pytest.raises(InvalidInput):
            check_bundle(changed(bundle, "manifest.json", lambda _data, said=manifest: said))
    path = tmp_path / "x.zip"
    path.write_bytes(b"PK\x03\x04broken")
    with pytest.raises(InvalidInput):
        check_bundle(path)


@pytest.mark.parametrize(("break_it", "code", "words"), [(False, 0, "Nothing is wrong"), (True, 1, "not as it was")])
def test_the_command_says_it_in_words_and_by_its_exit_code(bundle, original, capsys, break_it, code, words):
    path = changed(bundle, "answer.md", lambda data: data + b"!") if break_it else bundle
    with pytest.raises(SystemExit) as left:
        call_command("verify", str(path), document=[original])

    assert left.value.code == code
    assert words in capsys.readouterr().out
