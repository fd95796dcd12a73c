"""Forms: the ways of one kind of site as columns, copied to every site of that kind."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance
from gangplan.models.options.table import Table, rows_of
from gangplan.models.options.ways import Way


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """Ways as columns; cells are numbered as they stand at a site."""

    n: int
    columns: dict[str, Ints]


def form_of(instance: Instance, ways: Sequence[Way]) -> Form:
    """Write ways as columns."""
    rank = instance.claims.rank
    table: dict[str, list[int]] = {
        f.name: [] for f in fields(Table) if f.name not in ("part", "claim", "node")
    }
    for w, way in enumerate(ways):
        d, y = len(table["demand_option"]), len(table["entry_demand"])
        table["rank"].append(sum(int(rank[b]) for b, _ in way.choices))
        table["single"].append(way.single)
        for b, count in way.choices:
            table["demand_option"].append(w)
            table["demand_choice"].append(b)
            table["demand_count"].append(count)
        for at, e, fixed in way.entries:
            table["entry_demand"].append(d + at)
            table["entry_cell"].append(e)
            table["entry_fixed"].append(fixed)
        for cap in way.caps:
            c = len(table["cap_option"])
            table["cap_option"].append(w)
            table["cap_bound"].append(cap.bound)
            for entry, weight in zip(cap.entries, cap.weights, strict=True):
                table["member_cap"].append(c)
                table["member_entry"].append(y + entry)
                table["member_weight"].append(weight)
    return Form(len(ways), {k: np.array(v, dtype=np.int64) for k, v in table.items()})


class Stack:
    """Copies forms to sites, and puts them behind one another."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Ints]] = {
            f.name: [np.zeros(0, dtype=np.int64)] for f in fields(Table)
        }
        self.count = dict.fromkeys(("option", "demand", "entry", "cap"), 0)

    def add(
        self,
        form: Form,
        part: int,
        cells: Ints,
        claim: Ints,
        node: Ints,
        cover: tuple[Ints, Ints, Ints] | None = None,
    ) -> None:
        """Copy a form to sites.

        Parameters
        ----------
        cells : (m, L) cells of each site. claim, node : (m,) what the options are for.
        cover : positions of sites (sorted), nodes that they serve, and which of these are anchors.
        """
        m, c = len(cells), form.columns
        if not m or not form.n:
            return
        size = {"option": form.n, "demand": len(c["demand_option"]),
                "entry": len(c["entry_demand"]), "cap": len(c["cap_option"])}  # fmt: skip
        put = self.columns
        put["part"].append(np.full(m * form.n, part))
        put["claim"].append(np.repeat(claim, form.n))
        put["node"].append(np.repeat(node, form.n))
        for name in ("rank", "single", "demand_choice", "demand_count", "entry_fixed", "cap_bound",
                     "member_weight"):  # fmt: skip
            put[name].append(np.tile(c[name], m))
        for name, of in (("demand_option", "option"), ("entry_demand", "demand"),
                         ("cap_option", "option"), ("member_cap", "cap"),
                         ("member_entry", "entry")):  # fmt: skip
            start = self.count[of] + size[of] * np.arange(m)
            put[name].append((start[:, None] + c[name][None, :]).ravel())
        put["entry_cell"].append(cells[:, c["entry_cell"]].ravel())
        if cover is not None:
            option, row = rows_of(cover[0], np.repeat(np.arange(m), form.n), m)
            put["cover_option"].append(self.count["option"] + row)
            put["cover_node"].append(cover[1][option])
            put["cover_anchor"].append(cover[2][option])
        for of in self.count:
            self.count[of] += m * size[of]

    def table(self) -> Table:
        """Return what was added."""
        whole = {k: np.concatenate(v).astype(np.int64) for k, v in self.columns.items()}
        single = whole.pop("single").astype(np.bool_)
        return Table(single=single, **whole)


NO_OPTIONS = Stack().table()
