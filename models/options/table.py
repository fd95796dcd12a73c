"""Options as flat columns, and copies of them."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Options o and what belongs to each; every table is sorted by its first column.

    Attributes
    ----------
    part, claim, node : (O,) part number; shared claim c, or -1; node of an own claim, or -1.
    rank : (O,) ranks of its choices together.
    single : (O,) caps overlap: written once a pod.
    demand_option, demand_choice, demand_count : devices that a choice needs.
    entry_demand, entry_cell, entry_fixed : cells that may serve a demand; ``fixed`` > 0: exactly so
        many devices.
    cap_option, cap_bound : see `Cap`.
    member_cap, member_entry, member_weight : entries under a cap.
    cover_option, cover_node : nodes that an option of a shared claim serves.
    cover_anchor : 1 where the node reaches just those devices that the option's ALL choices take:
        one user at least has to be on such a node. 0 elsewhere.
    """

    part: Ints
    claim: Ints
    node: Ints
    rank: Ints
    single: Flags
    demand_option: Ints
    demand_choice: Ints
    demand_count: Ints
    entry_demand: Ints
    entry_cell: Ints
    entry_fixed: Ints
    cap_option: Ints
    cap_bound: Ints
    member_cap: Ints
    member_entry: Ints
    member_weight: Ints
    cover_option: Ints
    cover_node: Ints
    cover_anchor: Ints

    def __len__(self) -> int:
        """Return the number of options O."""
        return len(self.part)

    @property
    def entry_option(self) -> Ints:
        """(Y,) option of each entry."""
        return self.demand_option[self.entry_demand]

    @property
    def entry_choice(self) -> Ints:
        """(Y,) choice of each entry."""
        return self.demand_choice[self.entry_demand]

    def take(self, which: Ints) -> "Table":
        """Return the options ``which``, in that order; repeats are copies."""
        demand, demand_of = rows_of(self.demand_option, which, len(self))
        entry, entry_of = rows_of(self.entry_demand, demand, len(self.demand_option))
        cap, cap_of = rows_of(self.cap_option, which, len(self))
        member, member_of = rows_of(self.member_cap, cap, len(self.cap_option))
        cover, cover_of = rows_of(self.cover_option, which, len(self))
        # Entries of one copy follow each other, as those of its original do.
        first_old = np.searchsorted(self.entry_option, np.arange(len(self)), side="left")
        first_new = np.searchsorted(demand_of[entry_of], np.arange(len(which)), side="left")
        at = cap_of[member_of]
        shift = first_new[at] - first_old[which[at]]
        return Table(
            self.part[which], self.claim[which], self.node[which], self.rank[which],
            self.single[which],
            demand_of, self.demand_choice[demand], self.demand_count[demand],
            entry_of, self.entry_cell[entry], self.entry_fixed[entry],
            cap_of, self.cap_bound[cap],
            member_of, self.member_entry[member] + shift, self.member_weight[member],
            cover_of, self.cover_node[cover], self.cover_anchor[cover],
        )  # fmt: skip


def rows_of(owner: Ints, which: Ints, n: int) -> tuple[Ints, Ints]:
    """Rows of ``owner`` (sorted) that belong to ``which``, and the new owner of each."""
    start = np.searchsorted(owner, np.arange(n + 1))
    count = start[which + 1] - start[which]
    new = np.repeat(np.arange(len(which)), count)
    first = np.cumsum(count) - count
    row = np.arange(int(count.sum())) - first[new] + start[which][new]
    return row.astype(np.int64), new.astype(np.int64)
