"""Classical packing problems with known optima: yardsticks for ``Milp`` and the backends.

None of them has gangs. Each file has plain frozen data, a strict reader of the public format, and
``to_milp``. The public files belong to others; ``gangplan.datasets.traces.folder`` says where they
are looked for.
"""
