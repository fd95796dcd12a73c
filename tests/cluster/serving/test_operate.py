"""What operators read says what there is."""

import re

import typer.main

from gangplan.cli.app import app
from gangplan.cluster.outcome import BOUND, LEFT, UNDONE, WAITING
from gangplan.cluster.scheduler.metrics import Metrics
from tests.cluster.deploy.rights import DEPLOY, objects

MANUAL = (DEPLOY.parents[1] / "docs" / "operate.md").read_text()


def flags() -> set[str]:
    """Long options of ``gangplan scheduler``."""
    command = typer.main.get_command(app).commands["scheduler"]  # type: ignore[attr-defined]
    options = {option for param in command.params for option in param.opts}
    return {option for option in options if option.startswith("--") and option != "--help"}


def test_every_flag_of_the_scheduler_is_in_the_manual() -> None:
    assert flags() - set(re.findall(r"`(--[a-z-]+)`", MANUAL)) == set()


def test_the_deployment_uses_flags_that_there_are() -> None:
    (deployment,) = [
        obj for obj in objects(DEPLOY / "deployment.yaml") if obj["kind"] == "Deployment"
    ]
    command, *args = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    assert command == "scheduler"
    assert {arg for arg in args if arg.startswith("--")} <= flags()


def test_every_metric_is_in_the_manual_and_no_other() -> None:
    named = set(re.findall(r"\bgangplan_[a-z_]+", MANUAL))
    assert named == {one.name for one in Metrics().instruments}


def test_every_end_of_a_flight_is_in_the_manual() -> None:
    for word in (BOUND, WAITING, UNDONE, LEFT):
        assert f"| `{word}` |" in MANUAL
