"""Why a group waits, and how that is known."""
