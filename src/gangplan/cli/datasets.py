"""``gangplan datasets``: what ``generate`` can make, and which public files can be read."""


def datasets() -> int:
    """List generators, presets and public traces."""
    from gangplan.cli.tables import show_table
    from gangplan.datasets.generate import catalogue

    entries = catalogue().values()
    show_table(
        ("name", "kind", "what"),
        [
            (e.name, "generator" if e.name == e.generator else f"preset of {e.generator}", e.about)
            for e in entries
        ],
    )
    return 0
