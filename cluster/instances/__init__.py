"""A World made numeric: all of it, or without what cannot be read."""

from gangplan.cluster.instances.instances import instance_of as instance_of
from gangplan.cluster.instances.instances import placed as placed
from gangplan.cluster.instances.instances import placed_document as placed_document
from gangplan.cluster.instances.instances import tolerant as tolerant
