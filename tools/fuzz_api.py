"""Call every operation of the API with what its schema allows and forbids, against a site of its own.

    tools/fuzz_api.py [--examples 2000]

Fails on a status of 500, on a reply that does not fit the schema, and on what schemathesis takes for a fault besides.
Half of the examples name the rows that are there, so that the operations get as far as their work.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
ENDLESS = ("/events",)
"""Operations that answer for as long as a run lasts, which schemathesis would wait for."""


def fuzz(url: str, token: str, *, each: int, places: dict[str, str], phases: str = "examples,coverage,fuzzing") -> int:
    """The exit code of schemathesis over the whole schema, with so many examples of each operation and phase."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "schemathesis.toml"
        rows = "".join(f'"path.{name}" = {value}\n' for name, value in places.items())
        config.write_text(f"[parameters]\n{rows}", encoding="utf-8")
        command = [
            *(str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config)),
            *("run", f"{url}/api/v1/openapi.json", "--header", f"Authorization: Bearer {token}"),
            *("--checks", CHECKS, "--phases", phases, "--max-examples", str(each)),
            *("--exclude-path-regex", "|".join(f"{end}$" for end in ENDLESS), "--warnings", "off"),
            *("--generation-deterministic", "--request-timeout", "30", "--suppress-health-check", "all"),
        ]
        if places:  # The rows that are named must stay.
            command += ["--exclude-method", "DELETE"]
        return subprocess.run(command, check=False, cwd=folder).returncode


def make_token(user: str) -> tuple[str, dict[str, str]]:
    """A token with every scope for a person of the site in this environment, and one of each of its rows."""
    import django  # noqa: PLC0415 - the environment is set by then

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vectorless_web.settings")
    django.setup()
    from vectorless_web.api import services  # noqa: PLC0415
    from vectorless_web.runs.models import Run  # noqa: PLC0415
    from vectorless_web.workspaces.models import Membership  # noqa: PLC0415

    place = Membership.objects.select_related("user", "workspace").filter(user__username=user).earliest("pk")
    run = Run.objects.filter(workspace=place.workspace).latest("pk")
    document = place.workspace.documents.earliest("pk")
    numbers = {"run": run.pk, "thread": run.thread_id, "document": document.pk, "key": 2, "page": 1}
    _token, text = services.make_token(user=place.user, name="fuzz", scope="admin", days=1)
    return text, {"slug": f'"{place.workspace.slug}"', **{name: str(number) for name, number in numbers.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=2000, help="Examples in all, about.")
    asked = parser.parse_args()
    from screenshots import own_site  # noqa: PLC0415 - it is beside this file

    with tempfile.TemporaryDirectory(prefix="vw-fuzz-") as folder:
        os.environ.update(VECTORLESS_API_PER_MINUTE="1000000", VECTORLESS_VAR=folder)
        with own_site(folder) as site:
            token, places = make_token(site.user)
            each = max(1, asked.examples // 100)
            codes = [fuzz(site.url, token, each=each, places=places), fuzz(site.url, token, each=each, places={})]
    sys.exit(max(codes))


if __name__ == "__main__":
    main()
