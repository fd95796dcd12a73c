"""Instance and plan files: the verbs and the schema names that scripts rely on."""

from gangplan.datasets.instance_file import INSTANCE_SCHEMA as INSTANCE_SCHEMA
from gangplan.datasets.instance_file import read_instance as read_instance
from gangplan.datasets.instance_file import write_instance as write_instance
from gangplan.datasets.plan_file import PLAN_SCHEMA as PLAN_SCHEMA
from gangplan.datasets.plan_file import read_plan as read_plan
from gangplan.datasets.plan_file import read_result as read_result
from gangplan.datasets.plan_file import write_plan as write_plan
