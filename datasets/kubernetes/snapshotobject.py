"""What a snapshot file says about itself: an object ``gangplan.io/v1 Snapshot`` among the others."""

SNAPSHOT_VERSION = "gangplan.io/v1"
SNAPSHOT_KIND = "Snapshot"
