"""A part of an instance: some nodes and groups as an instance of its own, and the way back.

The rest of the plan is held: who stands elsewhere stays there, and what others have on the nodes of
the part is no longer free. ``docs/scale.md`` says what follows from it.
"""

from gangplan.models.part.candidates import inside as inside
from gangplan.models.part.part import Part as Part
from gangplan.models.part.part import joined as joined
from gangplan.models.part.part import part_of as part_of
