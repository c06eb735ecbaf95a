"""`manage.py evaluate`: the sample set over the demo documents, and sets of workspaces."""

import pytest
from django.core.management import CommandError, call_command

from vectorless_web.evaluations.models import Evaluation

pytestmark = pytest.mark.one_database


def evaluate(*arguments: str) -> None:
    call_command("evaluate", *arguments)


SAMPLE = ("eval/demo.jsonl", "--documents", "docs/demo")


def test_the_sample_set_is_answered_as_it_was_and_below_the_bar_the_command_leaves_with_1(capsys):
    with pytest.raises(SystemExit) as left:
        evaluate(*SAMPLE, "--min-accuracy", "0.95")
    assert left.value.code == 1
    said = capsys.readouterr().out
    assert "Right: 8 of 9." in said
    assert said.count("WRONG") == 1


def test_a_file_that_is_not_there_is_told():
    with pytest.raises(CommandError, match="No such file"):
        evaluate("eval/none.jsonl", *SAMPLE[1:])


@pytest.mark.django_db(transaction=True)
def test_a_set_of_a_workspace_is_answered_by_its_workers(golden_set, spawn, capsys):
    spawn("work", "background")
    evaluate("Figures", "--workspace", golden_set.workspace.slug, "--min-accuracy", "0.9", "--seconds", "60")
    assert "2 of 2 (100 %)" in capsys.readouterr().out
    assert Evaluation.objects.get().trigger == "command"


@pytest.mark.django_db(transaction=True)
def test_an_unknown_set_or_model_is_told(golden_set):
    with pytest.raises(CommandError, match="No set, or more than one"):
        evaluate("Figures", "--workspace", "elsewhere")
    with pytest.raises(CommandError, match="not offered there"):
        evaluate("Figures", "--model", "no-such-model")
