"""Objects without what planning never reads; equal parts are one object."""

from gangplan.cluster.trimmed.trimmed import trim as trim
