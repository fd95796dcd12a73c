"""Which requests go wrong, and how: what a proxy is told before a run."""

import random
import re
from dataclasses import dataclass, field
from typing import Literal

How = Literal["answer", "lose", "garble", "refuse", "delay", "cut", "expire"]


@dataclass(slots=True)
class Rule:
    """One fault, for the requests that it is about.

    Attributes
    ----------
    how : ``answer``: the status below instead of forwarding; ``lose``: it is forwarded, and the
        answer is dropped, so a write has happened; ``garble``: half of the answer comes, as if it
        were all; ``refuse``: the connection is closed before
        anything is forwarded; ``delay``: it is forwarded ``seconds`` later; ``cut``: a watch ends
        without a word after ``events`` of them; ``expire``: a watch gets an event of 410 then.
    method, path : regular expressions, of the whole method and of a part of path and query.
    skip, times : it begins after so many matching requests, and happens so often.
    chance : of each of them; the dice are the proxy's.
    watch : whether it is about watches; never about both.
    status, reason, cause, retry_after : of the answer.
    """

    how: How
    method: str = ".*"
    path: str = ""
    skip: int = 0
    times: int = 1
    chance: float = 1.0
    watch: bool = False
    status: int = 500
    reason: str = "InternalError"
    cause: str = ""
    retry_after: int | None = None
    seconds: float = 0.5
    events: int = 0
    seen: int = field(default=0, init=False)
    done: int = field(default=0, init=False)

    def takes(self, method: str, path: str, watch: bool, dice: random.Random) -> bool:
        """Whether this request goes wrong; it is counted."""
        if watch != self.watch or self.done >= self.times:
            return False
        if not re.fullmatch(self.method, method) or not re.search(self.path, path):
            return False
        self.seen += 1
        if self.seen <= self.skip or dice.random() >= self.chance:
            return False
        self.done += 1
        return True


WRITES = "POST|PUT|PATCH|DELETE"

CONFLICT = {"status": 409, "reason": "Conflict"}
GONE = {"status": 410, "reason": "Expired"}
BUSY = {"status": 429, "reason": "TooManyRequests"}
BUDGET = {"status": 429, "reason": "TooManyRequests", "cause": "DisruptionBudget"}
BROKEN = {"status": 500, "reason": "InternalError"}
AWAY = {"status": 503, "reason": "ServiceUnavailable"}


def at_random(dice: random.Random, chance: float = 0.1) -> list[Rule]:
    """Give rules of every sort, each for some of what gangplan sends; the dice say how many."""
    rules = [
        Rule("lose", WRITES, chance=chance, times=dice.randint(0, 3)),
        Rule("refuse", chance=chance / 2, times=dice.randint(0, 3)),
        Rule("delay", chance=chance, times=dice.randint(0, 5), seconds=dice.uniform(0.05, 1.0)),
        Rule("cut", "GET", watch=True, times=dice.randint(0, 3), events=dice.randint(0, 5)),
        Rule("expire", "GET", watch=True, times=dice.randint(0, 2), events=dice.randint(0, 3)),
    ]
    for fields in (CONFLICT, BROKEN, AWAY, {**BUSY, "retry_after": 1}, BUSY):
        times = dice.randint(0, 2)
        rules.append(Rule("answer", WRITES, chance=chance, times=times, **fields))  # type: ignore[arg-type]
    rules.append(Rule("answer", "POST", "/eviction", chance=chance, times=2, **BUDGET))  # type: ignore[arg-type]
    rules.append(Rule("answer", "GET", chance=chance / 4, times=2, **AWAY))  # type: ignore[arg-type]
    return rules
