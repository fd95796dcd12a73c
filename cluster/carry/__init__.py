"""One flight from its journal to its end (docs/adapter.md, rules 3 to 6)."""

from gangplan.cluster.carry.nearby import nearby as nearby
from gangplan.cluster.carry.steps import carry as carry
from gangplan.cluster.carry.steps import resume as resume
from gangplan.cluster.carry.steps import resume_one as resume_one
