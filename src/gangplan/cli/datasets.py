"""``gangplan datasets``: what ``generate`` can make, and which public files it can read."""


def datasets() -> int:
    """List generators, presets and public traces."""
    from gangplan.cli.tables import console, show_table
    from gangplan.datasets import traces
    from gangplan.datasets.generate import catalogue
    from gangplan.datasets.traces.folder import VARIABLE, data_folder

    rows = [
        (e.name, "generator" if e.name == e.generator else f"preset of {e.generator}", e.about)
        for e in catalogue().values()
    ]
    rows += [
        (t.name, "trace" if t.available() else "trace, files not here", t.what)
        for t in traces.catalogue()
    ]
    show_table(console(), ("name", "kind", "what"), rows)
    place = data_folder()
    print()
    print(
        f"Public files are read from {place}." if place else "There is no folder of public files."
    )
    print(f"{VARIABLE} names another one; docs/data.md says which files belong where.")
    return 0
