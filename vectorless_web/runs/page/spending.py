"""How much of what a run may use it has used: money where that is limited, tokens of a model, else steps."""

from dataclasses import dataclass

from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from vectorless_web.engine.agent.limits import Limits
from vectorless_web.infra.templatetags.show import money
from vectorless_web.runs.models import Run

FREE = ("route", "verify", "finalize")
"""Kinds of steps that count against no limit."""


@dataclass(frozen=True)
class Spending:
    """The share of the tightest limit that is used, from 0 to 1, and what is left of it, in words."""

    share: float
    left: str


def spending_of(run: Run) -> Spending:
    """What is left of the run's budget: of its money, else of its tokens with a model, else of its steps."""
    most_usd = run.settings.get("money_usd")
    if most_usd:
        return _usd(float(run.cost_usd), float(most_usd))
    if run.tokens:
        most = run.settings.get("model_tokens") or Limits().model_tokens
        left = max(most - run.tokens, 0)
        words = ngettext("%(left)s token left of %(most)s", "%(left)s tokens left of %(most)s", left)
        return Spending(min(run.tokens / most, 1), words % {"left": localize(left), "most": localize(most)})
    taken, most = run.steps.exclude(kind__in=FREE).count(), Limits().max_run_steps
    left = max(most - taken, 0)
    words = ngettext("%(left)d step left of %(most)d", "%(left)d steps left of %(most)d", left)
    return Spending(min(taken / most, 1), words % {"left": left, "most": most})


def _usd(spent: float, most: float) -> Spending:
    left = _("%(left)s left of %(most)s") % {"left": money(max(most - spent, 0)), "most": money(most)}
    return Spending(min(spent / most, 1), left)
