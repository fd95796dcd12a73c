"""Where the programs of a control plane lie: ``gangplan.experiments.controlplane.binaries``."""

from gangplan.experiments.controlplane.binaries import PROGRAMS as PROGRAMS
from gangplan.experiments.controlplane.binaries import VERSIONS as VERSIONS
from gangplan.experiments.controlplane.binaries import Missing as Missing
from gangplan.experiments.controlplane.binaries import available as available
from gangplan.experiments.controlplane.binaries import cache as cache
from gangplan.experiments.controlplane.binaries import folder as folder
