"""What a plan relied on: written into its file, compared with a World."""

from gangplan.cluster.relied.relied import changes as changes
from gangplan.cluster.relied.relied import entry_of as entry_of
from gangplan.cluster.relied.relied import relied_on as relied_on
