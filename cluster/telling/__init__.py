"""Conditions and events: what became of a group, in the API's own words, where its users look."""

from gangplan.cluster.telling.admitted import admitted
from gangplan.cluster.telling.events import event
from gangplan.cluster.telling.victims import victim
from gangplan.cluster.telling.waiting import waiting

__all__ = ["admitted", "event", "victim", "waiting"]
