"""``gangplan solvers``: which backends there are, and why one cannot be used."""


def solvers() -> int:
    """List solver backends with their version, or why they are not available."""
    from gangplan.cli.tables import console, show_table
    from gangplan.solvers import registry

    show_table(
        console(),
        ("solver", "version", "licence", "available"),
        [
            (s.name, s.version, s.licence, "yes" if s.available else f"no: {s.reason}")
            for s in registry.available()
        ],
    )
    return 0
