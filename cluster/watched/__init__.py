"""A World kept up to date: watches with bookmarks, listed again on 410."""

from gangplan.cluster.watched.watched import Watched as Watched
