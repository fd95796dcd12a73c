"""Exit codes; scripts rely on them."""

GOOD = 0

USAGE = 1
"""Usage or input error, or an internal one: one line a fault on standard error."""

NOTHING_PLANNED = 2
"""Nothing could be planned in time, or a claim could not be settled."""

VERIFICATION_FAILED = 3
"""The plan breaks a rule, or its file claims what is not so or does not follow."""

CLUSTER = 4
"""The cluster refused or changed, or cannot be reached."""

INTERRUPTED = 130
"""Ctrl-C; a search that it ended has given its plan all the same."""

PIPE_CLOSED = 141
"""Whoever read the output went away."""
