"""Who has which claims: entries of pods and PodGroups resolved to specs and shared claims.

An entry that equals one of the pod's PodGroup in all three fields is the group's claim (KEP-5729):
one allocation for all pods that name it alike. Any other claim by name is one allocation for all
its users, and a template gives each pod a claim of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gangplan.datasets.kubernetes.assemble.devices.extended import Extended
from gangplan.datasets.kubernetes.assemble.devices.made import POD, POD_GROUP, Made, owns
from gangplan.datasets.kubernetes.assemble.devices.present import Present
from gangplan.datasets.kubernetes.assemble.devices.specs import Specs
from gangplan.datasets.kubernetes.assemble.devices.use import NOTHING, Shared, Use
from gangplan.datasets.kubernetes.devicerecords import (
    EXTENDED,
    AllocationRecord,
    ClaimRecord,
    DeviceObjects,
    PodClaim,
    SpecRecord,
)
from gangplan.datasets.kubernetes.order import full_name
from gangplan.datasets.kubernetes.records import GroupRecord, PodRecord


class Users:
    """Resolves the claims of waiting pods, each pod once.

    Parameters
    ----------
    live : the pods are those of a cluster: a claim that nobody has made yet, or that the status of
        its pod or PodGroup does not name yet, cannot be allocated, and they wait for it.

    Attributes
    ----------
    shared : name -> every claim that some waiting pod shares.
    """

    def __init__(
        self, objects: DeviceObjects, specs: Specs, extended: Extended, *, live: bool = False
    ) -> None:
        self.live = live
        self.shared: dict[str, Shared] = {}
        self._specs, self._extended = specs, extended
        self._claims = {(one.namespace, one.name): one for one in objects.claims}
        self._templates = {(one.namespace, one.name): one.spec for one in objects.templates}
        self._made, self._present = Made(objects.claims), Present(objects.slices)
        self._of: dict[str, Use] = {}

    def of(self, pod: PodRecord, group: GroupRecord | None = None) -> Use:
        """Give the claims of a pod; of one met before, the same answer."""
        name = full_name(pod)
        if name not in self._of:
            resources = self._extended.asked(pod)
            if pod.claims or resources:
                entries = {_fields(one): one for one in group.claims} if group else {}
                making = _Making(self, pod, group, entries)
                self._of[name] = making.use(resources)
            else:
                self._of[name] = NOTHING
        return self._of[name]

    def claim(self, namespace: str, name: str) -> ClaimRecord | None:
        """Find a ResourceClaim."""
        return self._claims.get((namespace, name))

    def made(
        self, namespace: str, entry: str, kind: str, name: str, uid: str = ""
    ) -> ClaimRecord | None:
        """Find a claim that was made for an entry of a pod or PodGroup."""
        return self._made.of(namespace, entry, kind, name, uid)

    def lost(self, allocation: AllocationRecord) -> list[str]:
        """Name the devices of an allocation that no slice has."""
        return self._present.lost(allocation)

    def template(self, namespace: str, name: str) -> SpecRecord | None:
        """Find what a ResourceClaimTemplate asks."""
        return self._templates.get((namespace, name))

    def number(self, spec: SpecRecord, source: str) -> int:
        """Give a spec its number; ``source`` names the object that says it."""
        return self._specs.number(spec, source)

    def problems(self, number: int, source: str) -> list[str]:
        """Say what is wrong with a spec, and in which object."""
        return [f"{source}: {problem}" for problem in self._specs.problems(number)]

    def unsupported(self, number: int) -> tuple[str, ...]:
        """Fields of a spec that are not honoured."""
        return self._specs.records[number].unsupported

    def extended_spec(self, resources: Mapping[str, int]) -> SpecRecord:
        """Give the claim that the scheduler would make for extended resources."""
        return self._extended.spec(resources)


@dataclass(slots=True)
class _Making:
    """The claims of one pod in the making."""

    users: Users
    pod: PodRecord
    group: GroupRecord | None
    entries: Mapping[tuple[str, str, str], PodClaim]
    own: list[tuple[str, int]] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    unsupported: set[str] = field(default_factory=set)

    def use(self, resources: Mapping[str, int]) -> Use:
        """Resolve every entry."""
        for entry in self.pod.claims:
            of_group = self.entries.get(_fields(entry))
            if entry.claim:
                self._by_name(entry.claim, of_group is not None)
            elif of_group is not None:
                self._of_group(of_group, entry)
            else:
                self._of_template(entry)
        if resources:
            self._of_resources(resources)
        return Use(
            tuple(sorted(self.own)),
            tuple(sorted(self.shared)),
            tuple(dict.fromkeys(self.problems)),
            tuple(sorted(self.unsupported)),
        )

    def _by_name(self, name: str, of_group: bool) -> None:
        claim = self._found(name)
        if claim is not None:
            self._share(claim, of_group=of_group)

    def _of_group(self, entry: PodClaim, mine: PodClaim) -> None:
        """One claim for the group, generated already or still to be made."""
        made = mine.generated if entry.generated is None else entry.generated
        if made == "":
            return
        assert self.group is not None
        if made is None and self._awaits(entry, self.group.uid, f"PodGroup {self.group.name}"):
            return
        if made is None:
            space, group = self.pod.namespace, self.group
            found = self.users.made(space, entry.name, POD_GROUP, group.name, group.uid)
            made = None if found is None else found.name
        if made is not None:
            claim = self._found(made)
            if claim is not None and self._belongs(
                claim, POD_GROUP, self.group.name, self.group.uid
            ):
                self._share(claim, of_group=True)
            return
        spec = self._template(entry.template)
        if spec is not None:
            name = f"{self.pod.namespace}/{self.group.name}:{entry.name}"
            source = _template_of(self.pod.namespace, entry.template)
            self._add(name, None, spec, source, of_group=True)

    def _of_template(self, entry: PodClaim) -> None:
        """Give the pod a claim of its own; one that is allocated already pins it."""
        made = entry.generated
        if made == "":
            return
        if made is None and self._awaits(entry, self.pod.uid, f"pod {self.pod.name}"):
            return
        if made is None:
            found = self._made_for(entry.name)
            made = None if found is None else found.name
        if made is None:
            spec = self._template(entry.template)
            if spec is not None:
                self._ask(entry.name, spec, _template_of(self.pod.namespace, entry.template))
            return
        claim = self._found(made)
        if claim is not None and self._belongs(claim, POD, self.pod.name, self.pod.uid):
            self._take(entry.name, claim)

    def _of_resources(self, resources: Mapping[str, int]) -> None:
        """Claim what extended resources stand for; the scheduler may have done so already."""
        claim = self.users.claim(self.pod.namespace, self.pod.extended_claim)
        if claim is None:
            claim = self._made_for(EXTENDED)
        if claim is not None and self._belongs(claim, POD, self.pod.name, self.pod.uid):
            self._take(EXTENDED, claim)
        elif claim is None and self.users.live and self.pod.uid:
            names = ", ".join(sorted(resources))
            self.problems.append(
                f"no claim is made for extended resources that devices serve: {names}"
            )
        elif claim is None:
            source = f"extended resources {', '.join(sorted(resources))}"
            self._ask(EXTENDED, self.users.extended_spec(resources), source)

    def _awaits(self, entry: PodClaim, uid: str, whose: str) -> bool:
        """Whether the claim controller has still to make a claim; it soon will."""
        if not (self.users.live and uid):
            return False
        self.problems.append(f"the claim {entry.name} of {whose} is not made yet")
        return True

    def _made_for(self, entry: str) -> ClaimRecord | None:
        pod = self.pod
        return self.users.made(pod.namespace, entry, POD, pod.name, pod.uid)

    def _take(self, name: str, claim: ClaimRecord) -> None:
        if claim.allocation is not None:
            self._share(claim, of_group=False)
        else:
            self._ask(name, claim.spec, _claim_of(claim))

    def _ask(self, name: str, spec: SpecRecord, source: str) -> None:
        if not spec.requests:
            return  # it gets an empty allocation anywhere
        number = self.users.number(spec, source)
        self.problems += self.users.problems(number, source)
        self.unsupported |= set(self.users.unsupported(number))
        self.own.append((name, number))

    def _share(self, claim: ClaimRecord, of_group: bool) -> None:
        name = f"{claim.namespace}/{claim.name}"
        self._add(name, claim, claim.spec, _claim_of(claim), of_group)

    def _add(
        self, name: str, claim: ClaimRecord | None, spec: SpecRecord, source: str, of_group: bool
    ) -> None:
        allocation = claim.allocation if claim is not None else None
        if allocation is None and not spec.requests:
            return
        number = self.users.number(spec, source)
        shared = self.users.shared.setdefault(name, Shared(name, number, claim))
        if of_group and self.group is not None:
            shared.by_group[full_name(self.pod)] = self.group.name
        if allocation is None:
            self.problems += self.users.problems(shared.spec, source)
            self.unsupported |= set(self.users.unsupported(shared.spec))
        elif lost := self.users.lost(allocation):
            more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
            self.problems.append(
                f"ResourceClaim {shared.name} has {lost[0]}{more}, which no ResourceSlice has"
            )
        self.shared.add(shared.name)

    def _found(self, name: str) -> ClaimRecord | None:
        claim = self.users.claim(self.pod.namespace, name)
        if claim is None:
            self.problems.append(f"ResourceClaim {self.pod.namespace}/{name} does not exist")
        elif claim.terminating:
            self.problems.append(f"ResourceClaim {self.pod.namespace}/{name} is being deleted")
            return None
        return claim

    def _template(self, name: str) -> SpecRecord | None:
        spec = self.users.template(self.pod.namespace, name)
        if spec is None:
            self.problems.append(f"{_template_of(self.pod.namespace, name)} does not exist")
        return spec

    def _belongs(self, claim: ClaimRecord, kind: str, name: str, uid: str) -> bool:
        """Whether a generated claim was made for this pod or group; a problem where it was not."""
        owner = claim.controller
        what = f"ResourceClaim {claim.namespace}/{claim.name}"
        if owner is None:
            self.problems.append(f"{what} belongs to nobody, not to {full_name(self.pod)}")
            return False
        if owns(owner, kind, name, uid):
            return True
        earlier = ", an earlier one" if owns(owner, kind, name, "") else ""
        self.problems.append(f"{what} belongs to {owner.resource} {owner.name}{earlier}")
        return False


def _template_of(namespace: str, name: str) -> str:
    return f"ResourceClaimTemplate {namespace}/{name}"


def _claim_of(claim: ClaimRecord) -> str:
    return f"ResourceClaim {claim.namespace}/{claim.name}"


def _fields(entry: PodClaim) -> tuple[str, str, str]:
    return entry.name, entry.claim, entry.template
