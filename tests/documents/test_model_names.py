"""A model's name as a server sends it never keeps a trial from ending."""

import numpy as np
import pytest

from vectorless_web.documents.models import EmbeddingChoice
from vectorless_web.documents.services import try_embedding
from vectorless_web.engine.llm.capability import self_test
from vectorless_web.engine.llm.embedding import Embedded
from vectorless_web.engine.llm.model import Reply, Usage
from vectorless_web.workspaces.models import ModelProvider
from vectorless_web.workspaces.services.settings import test_provider as examine_provider

pytestmark = pytest.mark.django_db

SENT = "na\0me" + "e" * 5_000
KEPT = "nam" + "e" * 117


class Embeds:
    name, dimensions = "m", None

    def embed(self, texts):
        return Embedded(np.eye(3, dtype=np.float32), Usage(1), SENT)


class Chats:
    name = "m"

    def complete(self, messages, **_options):
        return Reply("ready", None, Usage(1, 1), SENT)

    def stream(self, messages, **_options):
        yield "ready"


@pytest.fixture
def provider(workspace):
    return ModelProvider.objects.create(workspace=workspace, name="H", base_url="http://localhost:1/v1", model="m")


def test_an_embedding_model_is_tried_whatever_it_is_called(workspace, provider):
    choice = EmbeddingChoice.objects.create(workspace=workspace, provider=provider, model="m", found={"testing": True})

    try_embedding(choice.pk, connect=lambda _choice: Embeds())

    choice.refresh_from_db()
    assert (choice.found["works"], choice.found["model"]) == (True, KEPT)


def test_a_chat_model_is_tested_whatever_it_is_called(provider):
    examine_provider(provider=provider, examine=lambda _provider: self_test(Chats()))

    provider.refresh_from_db()
    assert provider.capabilities["model"] == KEPT
