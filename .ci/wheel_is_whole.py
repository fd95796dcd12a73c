"""Compares the installed gangplan with the checkout: every module there, every package imports."""

import importlib
import pkgutil
import sys
from pathlib import Path

import gangplan

checkout = Path(sys.argv[1])
installed = Path(gangplan.__file__).parent
if checkout in installed.parents:
    sys.exit(f"{installed} is the checkout, not an installed wheel")
if not (installed / "py.typed").is_file():
    sys.exit("py.typed is not in the wheel")

wanted = {path.name for path in (checkout / "src/gangplan").glob("*.py")}
for folder in ["src/gangplan/cli", *("models", "solvers", "datasets", "experiments", "cluster")]:
    base = checkout / folder
    name = base.name
    wanted |= {f"{name}/{path.relative_to(base)}" for path in base.rglob("*.py")}
missing = sorted(name for name in wanted if not (installed / name).is_file())
if missing:
    sys.exit(f"not in the wheel: {', '.join(missing)}")

packages = [m.name for m in pkgutil.walk_packages(gangplan.__path__, "gangplan.") if m.ispkg]
for name in packages:
    importlib.import_module(name)
print(f"{len(wanted)} modules in the wheel, {len(packages)} subpackages import")
