"""A whole plan on a live cluster: what was left over first, then checks, then flight by flight."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gangplan.cluster import carry, checks, telling
from gangplan.cluster.carry import journal as journals
from gangplan.cluster.errors import ClusterError, Fenced
from gangplan.cluster.flight import Flight
from gangplan.cluster.flights import flights_of
from gangplan.cluster.lock import Lock
from gangplan.cluster.outcome import LEFT, WAITING, Outcome
from gangplan.cluster.report import Report
from gangplan.cluster.site import Site
from gangplan.cluster.world import World
from gangplan.datasets.json_file import check_schema
from gangplan.datasets.plan_fields import objects
from gangplan.datasets.plan_file import PLAN_SCHEMA
from gangplan.models.errors import GangplanError

MAX_AGE = 600.0
"""Seconds that a plan's snapshot may be old, unless something else is asked for."""

PATIENCE = 20.0
"""Seconds to wait for the lock: as long as the lease of a process that was killed runs."""


def apply(site: Site, plan_document: Mapping[str, Any], *, yes: bool, max_age: float) -> Report:
    """Check a plan against the cluster, and with ``yes`` carry it out.

    Without ``yes`` nothing is written. With it, flights that an earlier process left are finished
    before the checks: the plan may be refused after that. Each flight but the first is looked at
    once more before anybody falls for it; it is left out, and the others go on, where it does not
    fit any more. Ctrl-C leaves the flight that is on its way in its journal, for the next
    ``apply`` or ``scheduler`` to finish.

    Parameters
    ----------
    site : its client without a guard; a lock is taken here.
    max_age : seconds.

    Raises
    ------
    Changed : a check failed; nothing of the plan was written.
    ClusterError : another gangplan holds the lock, or the server refuses or does not answer.
    InputError : the document is no plan.
    """
    check_schema("plan", plan_document, PLAN_SCHEMA)
    if not yes:
        report, _ = _checked(site, plan_document, max_age)
        report.warnings += [
            f"an earlier flight was left in {site.namespace}/{journal['metadata']['name']}:"
            " with --yes it is finished first"
            for journal in journals.left_over(site)
        ]
        return report
    lock = Lock(site.client, site.namespace, site.holder, say=site.say)
    if not lock.acquire(PATIENCE):
        raise ClusterError(f"another gangplan is at work here: {lock.name} is {lock.held_by()}")
    try:
        return _carried(
            replace(site, client=site.client.guarded(lock.guard)), plan_document, max_age
        )
    finally:
        lock.release()


def _checked(site: Site, plan_document: Mapping[str, Any], max_age: float) -> tuple[Report, World]:
    """Make the flights of a plan, on a fresh World, and check them."""
    world = site.world()
    # A plan of another cluster or time is said to be that, rather than that its names are not here.
    checks.of_plan(site, world, plan_document, max_age)
    flights = flights_of(plan_document, world)
    checks.before(site, world, plan_document, flights, max_age=None, strict=True)
    return Report(flights, carried=False, waiting=_waiting(plan_document)), world


def _carried(site: Site, plan_document: Mapping[str, Any], max_age: float) -> Report:
    resumed = carry.resume(site)
    for outcome in resumed:
        site.say(f"flight {outcome.flight}, left by an earlier process: {outcome.status}")
    _refuse_left(resumed)
    report, world = _checked(site, plan_document, max_age)
    report.carried, report.resumed = True, resumed
    for number, flight in enumerate(report.flights):
        try:
            outcome = _fly(site, flight, again=number > 0)
        except (Fenced, KeyboardInterrupt) as error:
            report.interrupted = isinstance(error, KeyboardInterrupt)
            why = "Ctrl-C" if report.interrupted else str(error)
            outcome = _so_far(site, flight, why)
        except GangplanError as error:
            outcome = Outcome(flight.key, WAITING, sentences=[str(error)])
            report.stopped = f"{flight.name}: {error}"
        report.outcomes.append(outcome)
        if outcome.status == LEFT:
            report.stopped = _left(outcome, report, flight)
        if report.stopped:
            return report
    _tell(replace(site, world=lambda: world), report)
    return report


def _refuse_left(resumed: list[Outcome]) -> None:
    """Refuse to go on beside a flight that has not ended: its room looks free, and is not.

    Raises
    ------
    ClusterError : naming each, and why it could not be ended.
    """
    left = [outcome for outcome in resumed if outcome.status == LEFT]
    if left:
        raise ClusterError(
            "\n".join(
                f"nothing of this plan was written: flight {outcome.flight} of an earlier process"
                f" has not ended: {'; '.join(outcome.warnings)}"
                for outcome in left
            )
        )


def _fly(site: Site, flight: Flight, *, again: bool) -> Outcome:
    """Carry out one flight; budgets are looked at again, where an earlier one took some time.

    That it still fits is looked at again by ``carry``, before anybody falls.
    """
    if again and flight.fallings:
        found = checks.budgets(site.world(), (flight,))
        if found:
            return Outcome(flight.key, WAITING, sentences=list(found))
    return carry.carry(site, flight)


def _so_far(site: Site, flight: Flight, why: str) -> Outcome:
    """Give what became of a flight that was broken off, as its journal says it."""
    outcome = Outcome(flight.key, LEFT)
    try:
        written = journals.left(site, flight.key)
        if written is None:
            why = f"{why}; it has no journal: it was not begun, or has just ended"
        else:
            journal = journals.opened(site, written)
            why = f"{why}; broken off at step {journal.step}, what is told is as of its beginning"
            outcome = replace(journal.outcome, status=LEFT)
    except ClusterError as error:
        outcome.warnings.append(f"what was done is in its journal only: {error}")
    return replace(outcome, sentences=[why, *outcome.sentences])


def _left(outcome: Outcome, report: Report, flight: Flight) -> str:
    rest = len(report.flights) - len(report.outcomes)
    why = "; ".join((*outcome.sentences, *outcome.warnings))
    return (
        f"{why}; what is left of {flight.name} is in the journal gangplan-flight-{flight.key}, and"
        " the next 'gangplan apply --yes' or 'gangplan scheduler' goes on from there;"
        f" {rest} flights were not begun"
    )


def _tell(site: Site, report: Report) -> None:
    """Tell the groups that wait why; that one cannot be told is a warning."""
    for group, reason in report.waiting.items():
        try:
            telling.waiting(site, group, reason)
        except ClusterError as error:
            report.warnings.append(f"{group} was not told why it waits: {error}")
            if isinstance(error, Fenced):
                return
        except KeyboardInterrupt:
            report.interrupted = True
            report.warnings.append(f"Ctrl-C: {group} and others were not told why they wait")
            return


def _waiting(plan_document: Mapping[str, Any]) -> dict[str, str]:
    return {
        str(entry["group"]): str(entry.get("reason") or "the plan has no room for it")
        for entry in objects("plan", "groups", plan_document.get("groups"))
        if entry.get("status") == "pending"
    }
