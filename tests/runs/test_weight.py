"""How heavy the page of a run is."""

import gzip
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders

from tests.support.engines import StoryReasoner, TestEngine, long_story
from vectorless_web.runs.services import claim_run, execute_run

pytestmark = pytest.mark.django_db
MOST_SCRIPT = 150_000
"""Bytes of JavaScript, as written and not compressed."""
MOST_STEP = 12_000
"""Bytes of HTML for each step of a trace, everything around it included."""


@pytest.fixture
def shown(client, alice, make_run):
    run = make_run()
    execute_run(claim_run(run.pk), engine=TestEngine(StoryReasoner(long_story)))
    client.force_login(alice)
    return client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/").content.decode()


def test_its_scripts_are_light_and_its_steps_carry_no_raw_data(shown):
    names = re.findall(rf'<script[^>]+src="{settings.STATIC_URL}([^"?]+)', shown)
    scripts = [Path(finders.find(name)).read_bytes() for name in names]
    assert len(scripts) >= 8
    assert sum(map(len, scripts)) <= MOST_SCRIPT
    assert sum(len(gzip.compress(script)) for script in scripts) <= MOST_SCRIPT / 3
    assert len(shown) <= MOST_STEP * max(shown.count('id="step-'), 5)
    assert "<pre" not in shown
