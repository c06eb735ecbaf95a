"""Call every operation of the API with what its schema allows and forbids, against a site of its own.

    tools/fuzz_api.py [--examples 2000]

Fails on a status of 500, on a reply that does not fit the schema, and on what schemathesis takes for a fault besides.
Half of the examples name rows that are there, so that the operations get as far as their work; these delete nothing.
The others name the workspace alone, and delete what they hit; the events of runs under way are left to the tests.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx2

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
PHASES = "examples,coverage,fuzzing"
ENDLESS = "/events"
"""It answers for as long as a run lasts, which schemathesis would wait for."""


def fuzz(
    url: str, token: str, *, each: int, places: dict[str, str], left_out: str = "DELETE", phases: str = PHASES
) -> int:
    """The exit code of schemathesis over the whole schema, with so many examples of each operation and phase.

    `places` are parts of addresses that are always so; `left_out` is the method or the end of addresses not called.
    """
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "schemathesis.toml"
        rows = "".join(f'"path.{name}" = {value}\n' for name, value in places.items())
        config.write_text(f"[parameters]\n{rows}", encoding="utf-8")
        command = [
            *(str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config)),
            *("run", f"{url}/api/v1/openapi.json", "--header", f"Authorization: Bearer {token}"),
            *("--checks", CHECKS, "--phases", phases, "--max-examples", str(each)),
            *(("--exclude-method", left_out) if left_out.isupper() else ("--exclude-path-regex", f"{left_out}$")),
            *("--generation-deterministic", "--request-timeout", "30", "--suppress-health-check", "all"),
            *("--warnings", "off"),
        ]
        return subprocess.run(command, check=False, cwd=folder).returncode


class Caller:
    """Sends JSON to the site's API with a token."""

    def __init__(self, url: str, token: str) -> None:
        self._client = httpx2.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60)

    def __call__(self, method: str, path: str, body: object = None) -> Any:
        reply = self._client.request(method, path, json=body)
        return reply.raise_for_status().json()


def lay_out(url: str, token: str) -> dict[str, str]:
    """One row of each kind that operations name, made through the API in the token's first workspace with a document.

    By name of the part of an address, as schemathesis reads them. The run has ended, so that its events do.
    """
    call = Caller(url, token)
    slug = call("get", "/workspaces")[0]["slug"]
    place = f"/workspaces/{slug}"
    document = call("get", f"{place}/documents")["items"][-1]["id"]
    made = {
        "webhook": call(
            "post", f"{place}/webhooks", {"address": "https://nobody.invalid/", "events": ["run.finished"]}
        ),
        "run": call("post", f"{place}/runs", {"question": "What is it about?", "documents": [document]}),
        "entry": call("post", f"{place}/lexicon", {"concept": "berth", "phrases": ["mooring"]}),
        "budget": call("put", f"{place}/budgets", {"limit_usd": 5}),
        "account": call("post", f"{place}/service-accounts", {"name": "Nightly"}),
        "golden_set": call("post", f"{place}/golden-sets", {"name": "Fuzzed"}),
        "grid": call(
            "post",
            f"{place}/grids",
            {"name": "Fuzzed", "documents": [document], "set": "", "columns": [{"question": "Which?"}]},
        ),
        "source": call("post", f"{place}/sources", {"kind": "webdav", "address": "https://nobody.invalid/dav"}),
        "folder": call("post", f"{place}/folders", {"name": "Fuzzed"}),
        "invitation": call("post", f"{place}/invitations", {}),
        "member": call("get", f"{place}/members")[-1],
        "group": call("post", "/groups", {"name": "Fuzzed"}),
    }
    numbers = {name: row["id"] for name, row in made.items()}
    let_in = {"group": numbers["group"], "role": "viewer"}
    numbers["membership"] = call("post", f"{place}/groups", let_in)["id"]
    run = f"{place}/runs/{numbers['run']}"
    call("post", f"{run}/cancel")
    while not call("get", f"{run}?wait=10")["ended"]:
        pass
    one = f"{place}/golden-sets/{numbers['golden_set']}"
    call("post", f"{one}/questions", {"questions": [{"question": "How many?", "value": "14"}]})
    numbers["evaluation"] = call("post", f"{one}/evaluations", {})["id"]
    numbers["token"] = call("post", f"{place}/service-accounts/{numbers['account']}/tokens", {"name": "night"})["id"]
    numbers["link"] = call("post", f"{run}/links", {})["id"]
    numbers["delivery"] = call("get", f"{place}/webhooks/{numbers['webhook']}/deliveries")["items"][0]["id"]
    numbers |= {"thread": made["run"]["thread"], "document": document, "key": 2, "page": 1}
    return {"slug": f'"{slug}"', **{name: str(number) for name, number in numbers.items()}}


def make_token(user: str) -> str:
    """A token with every scope for a person of the site in this environment, who becomes staff with every right."""
    import django  # noqa: PLC0415 - the environment is set by then

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")
    django.setup()
    from django.contrib.auth import get_user_model  # noqa: PLC0415

    from vectorless_web.api import services  # noqa: PLC0415

    get_user_model().objects.filter(username=user).update(is_staff=True, is_superuser=True)
    found = get_user_model().objects.get(username=user)
    return services.make_token(user=found, name="fuzz", scope="admin", days=1)[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=2000, help="Examples in all, about.")
    asked = parser.parse_args()
    from screenshots import own_site  # noqa: PLC0415 - it is beside this file

    with tempfile.TemporaryDirectory(prefix="vw-fuzz-") as folder:
        os.environ.update(VECTORLESS_API_PER_MINUTE="1000000", VECTORLESS_VAR=folder)
        with own_site(folder) as site:
            token = make_token(site.user)
            each, places = max(1, asked.examples // 100), lay_out(site.url, token)
            named = fuzz(site.url, token, each=each, places=places)
            codes = [named, fuzz(site.url, token, each=each, places={"slug": places["slug"]}, left_out=ENDLESS)]
    sys.exit(max(codes))


if __name__ == "__main__":
    main()
