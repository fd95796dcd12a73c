"""The ``certificates`` entry of a plan file: what each bound rests on, kept small.

==============  =====================================================================
entry           holds
==============  =====================================================================
``tier``        name of the tier
``kind``        ``counting``, ``lp-dual``, ``search`` or ``search x2``
``bound``       as in the tier's report
``formulation`` whose model it speaks of; ``off`` lists the families left out
``held``        values of the earlier tiers, in order, that the model was held to
``multipliers`` ``row:value`` words, values in units of 2^-20; rows without one are left out
``priced``      true: columns that the model leaves out are priced again
``digest``      SHA-256 of the model's arrays (``Milp.digest``)
``solvers``     ``name, version, options`` of who searched
==============  =====================================================================

What is empty is left out.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gangplan.datasets.json_file import refuse
from gangplan.datasets.plan_fields import objects, text
from gangplan.models.certificate import Certificate, Claimant

FIELD = "certificates"

_PAIR = re.compile(r"(\d{1,15}):(-?\d{1,15})")


def certificate_entries(certificates: Sequence[Certificate]) -> list[dict[str, object]]:
    """Return the entries of a plan file."""
    return [_entry(certificate) for certificate in certificates]


def certificates_of(path: str, document: Mapping[str, object]) -> tuple[Certificate, ...]:
    """Read the entries; a plan file without them has none.

    Raises
    ------
    InputError : an entry that does not fit the table above.
    """
    entries = objects(path, FIELD, document.get(FIELD, []))
    found = tuple(_certificate(path, f"{FIELD}[{i}]", entry) for i, entry in enumerate(entries))
    if len({certificate.tier for certificate in found}) < len(found):
        raise refuse(path, FIELD, "two certificates of one tier")
    return found


def _entry(certificate: Certificate) -> dict[str, object]:
    pairs = zip(certificate.rows, certificate.multipliers, strict=True)
    optional: dict[str, object] = {
        "formulation": certificate.formulation,
        "off": list(certificate.off),
        "held": list(certificate.held),
        "multipliers": " ".join(f"{row}:{value}" for row, value in pairs),
        "priced": certificate.priced,
        "digest": certificate.digest,
        "solvers": [
            {"name": who.name, "version": who.version, "options": who.options}
            for who in certificate.solvers
        ],
    }
    kept = {name: value for name, value in optional.items() if value}
    head = {"tier": certificate.tier, "kind": certificate.kind, "bound": certificate.bound}
    return {**head, **kept}


def _certificate(path: str, field: str, entry: Mapping[str, Any]) -> Certificate:
    bound, held = entry.get("bound"), entry.get("held", [])
    if type(bound) is not int:
        raise refuse(path, f"{field}.bound", "an integer expected")
    if not isinstance(held, list) or not all(type(value) is int for value in held):
        raise refuse(path, f"{field}.held", "a list of integers expected")
    off = entry.get("off", [])
    if not isinstance(off, list) or not all(isinstance(name, str) for name in off):
        raise refuse(path, f"{field}.off", "a list of names expected")
    priced = entry.get("priced", False)
    if not isinstance(priced, bool):
        raise refuse(path, f"{field}.priced", "true or false expected")
    rows, values = _multipliers(path, field, _text(path, field, entry, "multipliers"))
    return Certificate(
        tier=_text(path, field, entry, "tier"),
        kind=_text(path, field, entry, "kind"),
        bound=bound,
        formulation=_text(path, field, entry, "formulation"),
        off=tuple(off),
        held=tuple(held),
        rows=rows,
        multipliers=values,
        digest=_text(path, field, entry, "digest"),
        solvers=_solvers(path, field, entry.get("solvers", [])),
        priced=priced,
    )


def _text(path: str, field: str, entry: Mapping[str, Any], key: str) -> str:
    return text(path, f"{field}.{key}", entry.get(key, ""))


def _multipliers(path: str, field: str, said: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    pairs = [_PAIR.fullmatch(word) for word in said.split()]
    rows = [int(pair[1]) for pair in pairs if pair is not None]
    values = [int(pair[2]) for pair in pairs if pair is not None]
    if len(rows) < len(pairs):
        raise refuse(path, f"{field}.multipliers", "words row:value expected, both whole numbers")
    return tuple(rows), tuple(values)


def _solvers(path: str, field: str, entries: object) -> tuple[Claimant, ...]:
    where = f"{field}.solvers"
    return tuple(
        Claimant(*(_text(path, where, entry, key) for key in ("name", "version", "options")))
        for entry in objects(path, where, entries)
    )
