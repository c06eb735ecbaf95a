"""What is under deploy/ starts a site: the image's own steps are taken here without a container engine."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from tests.conftest import ROOT, answers, end_group, free_port, wait_until

DEPLOY = ROOT / "deploy"
CONTINUED = re.compile(r"\\\n")


def read_dockerfile() -> list[list[tuple[str, str]]]:
    """The stages of the Dockerfile: the instructions of each as (name, rest)."""
    text = CONTINUED.sub("", re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE))
    stages: list[list[tuple[str, str]]] = []
    for line in filter(None, text.splitlines()):
        name, rest = line.split(None, 1)
        if name == "FROM":
            stages.append([])
        stages[-1].append((name, rest))
    return stages


BUILD, IMAGE = read_dockerfile()
ENVIRONMENT = dict(word.split("=", 1) for name, rest in IMAGE if name == "ENV" for word in shlex.split(rest))


def last(name: str) -> str:
    """The rest of the image's last instruction of that name, which is the one that counts."""
    return [rest for each, rest in IMAGE if each == name][-1]


def copies(stage: list[tuple[str, str]]) -> list[tuple[list[str], str]]:
    """What a stage copies from the project: sources and target."""
    found = [rest.split() for name, rest in stage if name == "COPY" and not rest.startswith("--from")]
    return [(words[:-1], words[-1]) for words in found]


@pytest.fixture
def image(tmp_path):
    """A folder with what the image has of the project, and a way to run a command there under its settings."""
    app, data = tmp_path / "app", tmp_path / "data"
    data.mkdir(mode=0o700)
    for sources, target in copies(IMAGE):
        for source in sources:
            place = app / (Path(source).name if target == "./" else target)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                app.mkdir(exist_ok=True)
                shutil.copy(ROOT / source, place)
    # In the image the environment's folder comes first on PATH; here it is the one that runs the tests.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**ENVIRONMENT, "VECTORLESS_VAR": str(data), "PATH": path, "PORT": str(free_port())}

    def run(command: list[str], **more: str) -> subprocess.Popen:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(
            command, cwd=app, env={**environment, **more}, text=True, start_new_session=True, **streams
        )

    run.data = data
    run.address = f"http://127.0.0.1:{environment['PORT']}"
    return run


def finish(process: subprocess.Popen) -> tuple[int, str]:
    """The exit code of a command and what it said."""
    said, _ = process.communicate(timeout=60)
    return process.returncode, said


def test_the_image_has_what_it_copies_and_is_not_root():
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    copied = [source for stage in (BUILD, IMAGE) for sources, _ in copies(stage) for source in sources]
    assert [source for source in copied if not (ROOT / source).exists()] == []
    assert {f"!{source}" for source in copied} == {line for line in ignored if line.startswith("!")}
    assert "*" in ignored
    user = last("USER")
    created = next(rest for name, rest in IMAGE if name == "RUN" and "useradd" in rest)
    assert user not in ("root", "0")
    assert re.search(rf"useradd .*\b{user}\b", created)
    names = [name for name, _ in IMAGE]
    assert names.index("USER") > max(number for number, name in enumerate(names) if name == "RUN")


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_the_image_serves_and_its_health_check_tells(image, migrated_database):
    shutil.copy(migrated_database, image.data / "db.sqlite3")
    assert finish(image(["python", "manage.py", "collectstatic", "--noinput", "-v0"])) == (0, "")
    check = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    assert finish(image(check))[0] != 0, "nothing serves yet"
    web = image(json.loads(last("CMD")))
    try:
        wait_until(lambda: answers(f"{image.address}/health/live"), seconds=60)
        assert finish(image(check)) == (0, "")
        assert answers(f"{image.address}/accounts/login/"), "templates and static files are there"
    finally:
        end_group(web)


def test_django_has_nothing_to_say_of_the_documented_settings(image):
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["x-app"]["environment"]
    under_systemd = read_environment()
    del under_systemd["VECTORLESS_VAR"]
    assert under_systemd.keys() <= compose.keys(), "what is enough for the one is there in the other"
    command = ["python", "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    code, said = finish(image(command, **under_systemd))
    assert (code, said.strip()) == (0, "System check identified no issues (2 silenced).")


def read_environment() -> dict[str, str]:
    """The settings of deploy/vectorless.env that are not commented out."""
    lines = (DEPLOY / "vectorless.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_compose_runs_each_process_and_gives_it_time_to_stop():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    ours = {name: each for name, each in compose["services"].items() if each.get("image") == "vectorless-web"}
    setup = ours.pop("setup")
    procfile = dict(line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines())
    del procfile["redis"]
    assert {name: each["command"] for name, each in ours.items()} == procfile
    for name, each in ours.items():
        assert int(each["stop_grace_period"].removesuffix("s")) > settings.STOP_SECONDS + 8, name
        assert each["depends_on"] == {"setup": {"condition": "service_completed_successfully"}}
        assert each["init"]
        assert each["volumes"] == [f"data:{ENVIRONMENT['VECTORLESS_VAR']}"]
        assert ("healthcheck" in each) == (name != "web"), "the image's own asks the web server"
    assert set(setup["depends_on"]) <= set(compose["services"])
    named = {volume.split(":")[0] for each in compose["services"].values() for volume in each.get("volumes", ())}
    assert {name for name in named if not name.startswith(".")} == set(compose["volumes"])


@pytest.mark.parametrize("unit", ["vectorless.service", "vectorless-worker@.service"])
def test_a_unit_starts_a_command_that_is_there_as_its_own_user(unit):
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read_string((DEPLOY / unit).read_text())
    service = parser["Service"]
    assert service["User"] not in ("root", "0")
    program, script, command = service["ExecStart"].split()[:3]
    assert (program, script) == (f"{service['WorkingDirectory']}/.venv/bin/python", "manage.py")
    assert command in get_commands()
    assert int(service["TimeoutStopSec"]) > settings.STOP_SECONDS + 8


def test_every_setting_that_is_given_is_documented():
    page = (ROOT / "docs" / "settings.md").read_text()
    given = set(read_environment()) | set(ENVIRONMENT) - {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}
    given |= set(yaml.safe_load((DEPLOY / "compose.yaml").read_text())["x-app"]["environment"])
    assert {name for name in given if f"`{name}`" not in page} == set()


ENGINE = """#!/bin/sh
case "$1" in
  build) ;;
  run) echo made ;;
  exec) echo {user} ;;
  inspect) case "$3" in *Health*) echo {health} ;; *) echo {code} ;; esac ;;
  logs) echo what it said ;;
esac
echo "$@" >> {calls}
"""


@pytest.mark.parametrize(
    ("health", "user", "code", "said"),
    [
        ("healthy", 10001, 0, "is built, serves, and stops"),
        ("unhealthy", 10001, 0, "what it said"),
        ("healthy", 0, 0, "runs as root"),
        ("healthy", 10001, 137, "ended with 137"),
    ],
)
def test_the_script_that_tries_the_image_tells_what_is_wrong_and_removes_it(tmp_path, health, user, code, said):
    engine, calls = tmp_path / "docker", tmp_path / "calls"
    engine.write_text(ENGINE.format(health=health, user=user, code=code, calls=calls))
    engine.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PATIENCE": "1"}
    tried = subprocess.run(
        [ROOT / "tools/image.sh"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert said in tried.stdout + tried.stderr
    assert (tried.returncode == 0) == said.startswith("is built")
    assert calls.read_text().splitlines()[-1] == "rm --force made"
