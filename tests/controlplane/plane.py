"""The control plane of the tests: ``gangplan.experiments.controlplane``, where it is described."""

from gangplan.experiments.controlplane.credentials import ADMIN as ADMIN
from gangplan.experiments.controlplane.credentials import SERVICE_ACCOUNT as SERVICE_ACCOUNT
from gangplan.experiments.controlplane.credentials import USER as USER
from gangplan.experiments.controlplane.credentials import Failed as Failed
from gangplan.experiments.controlplane.plane import ControlPlane as ControlPlane
