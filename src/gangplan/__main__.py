"""``python -m gangplan``."""

from gangplan.cli import run

if __name__ == "__main__":
    run()
