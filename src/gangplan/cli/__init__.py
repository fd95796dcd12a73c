"""The command line: one file a command, each a few lines over a library call.

Results go to standard output, words about them (notes, progress, errors) to standard error.
Exit codes: ``gangplan.cli.codes``.
"""

from gangplan.cli.entry import main as main
from gangplan.cli.entry import run as run
