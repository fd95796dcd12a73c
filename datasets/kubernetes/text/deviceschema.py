"""Fields of resource.k8s.io v1, v1beta2 and v1beta1 that are known; any other one is a fault."""

OBJECT = frozenset({"apiVersion", "kind", "metadata", "spec"})
"""Objects without a status."""

SLICE = frozenset(
    [
        "allNodes",
        "devices",
        "driver",
        "nodeName",
        "nodeSelector",
        "partitionTypeAttribute",
        "perDeviceNodeSelection",
        "pool",
        "sharedCounters",
        "skipNodeOperations",
    ]
)
POOL = frozenset({"generation", "name", "resourceSliceCount"})

DEVICE = frozenset(
    [
        "allNodes",
        "allowMultipleAllocations",
        "attributes",
        "bindingConditions",
        "bindingFailureConditions",
        "bindsToNode",
        "capacity",
        "consumesCounters",
        "name",
        "nodeAllocatableResourceMappings",  # 1.36; what it became:
        "nodeAllocatableResources",
        "nodeName",
        "nodeSelector",
        "taints",
    ]
)
BASIC = DEVICE - {"name"}
"""Of ``basic`` in a device of v1beta1."""
BASIC_DEVICE = frozenset({"basic", "name"})

ATTRIBUTE = frozenset(
    ["bool", "bools", "int", "ints", "string", "strings", "version", "versions"],
)
CAPACITY = frozenset({"requestPolicy", "value"})
POLICY = frozenset({"default", "validRange", "validValues"})
RANGE = frozenset({"max", "min", "step"})
COUNTER_SET = frozenset({"counters", "name"})
COUNTER = frozenset({"value"})
DRAW = frozenset({"compatibilityGroups", "counterSet", "counters"})
TAINT = frozenset({"effect", "key", "timeAdded", "value"})
TOLERATION = frozenset({"effect", "key", "operator", "tolerationSeconds", "value"})

CLASS = frozenset({"config", "extendedResourceName", "selectors"})
CLASS_CONFIG = frozenset({"opaque"})
SELECTOR = frozenset({"cel"})
CEL = frozenset({"expression"})

CLAIM = frozenset({"devices"})
DEVICES = frozenset({"config", "constraints", "requests"})
CONFIG = frozenset({"opaque", "requests"})
OPAQUE = frozenset({"driver", "parameters"})
CONSTRAINT = frozenset({"distinctAttribute", "matchAttribute", "requests"})
REQUEST = frozenset({"exactly", "firstAvailable", "name"})
SUBREQUEST = frozenset(
    [
        "allocationMode",
        "capacity",
        "count",
        "derivedAttributes",
        "deviceClassName",
        "name",
        "selectors",
        "tolerations",
    ]
)
EXACTLY = SUBREQUEST - {"name"} | {"adminAccess"}
REQUIREMENTS = frozenset({"requests"})
DERIVED = frozenset({"expression", "name"})
TEMPLATE = frozenset({"metadata", "spec"})
TEMPLATE_METADATA = frozenset({"annotations", "labels"})

CLAIM_STATUS = frozenset({"allocation", "devices", "reservedFor"})
ALLOCATION = frozenset({"allocationTimestamp", "devices", "nodeSelector"})
RESULTS = frozenset({"config", "results"})
RESULT_CONFIG = frozenset({"opaque", "requests", "source"})
RESULT = frozenset(
    [
        "adminAccess",
        "bindingConditions",
        "bindingFailureConditions",
        "consumedCapacity",
        "device",
        "driver",
        "pool",
        "request",
        "shareID",
        "skipNodeOperations",
        "tolerations",
    ]
)
DEVICE_STATUS = frozenset(
    ["conditions", "data", "device", "driver", "networkData", "pool", "shareID"]
)
CONSUMER = frozenset({"apiGroup", "name", "resource", "uid"})

TAINT_RULE = frozenset({"deviceSelector", "taint"})
TAINT_SELECTOR = frozenset({"device", "driver", "pool"})

POD_CLAIM = frozenset({"name", "resourceClaimName", "resourceClaimTemplateName"})
POD_CLAIM_STATUS = frozenset({"name", "resourceClaimName"})
CONTAINER_CLAIM = frozenset({"name", "request"})
EXTENDED = frozenset({"requestMappings", "resourceClaimName"})
