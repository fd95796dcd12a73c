"""Fields of core/v1 and policy/v1 1.36 and 1.37 that are known; any other one is a fault.

Most do not matter for placement. They are listed so that a misspelt field that does matter
(``nodeSelectr``) is never passed over in silence.
"""

OBJECT = frozenset({"apiVersion", "kind", "metadata", "spec", "status"})

METADATA = frozenset(
    [
        "annotations",
        "clusterName",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generateName",
        "generation",
        "labels",
        "managedFields",
        "name",
        "namespace",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    ]
)

TEMPLATE = frozenset({"metadata", "spec"})

POD_SPEC = frozenset(
    [
        "activeDeadlineSeconds",
        "affinity",
        "automountServiceAccountToken",
        "containers",
        "dnsConfig",
        "dnsPolicy",
        "enableServiceLinks",
        "ephemeralContainers",
        "evictionResponders",
        "hostAliases",
        "hostIPC",
        "hostNetwork",
        "hostPID",
        "hostUsers",
        "hostname",
        "hostnameOverride",
        "imagePullSecrets",
        "initContainers",
        "nodeName",
        "nodeSelector",
        "os",
        "overhead",
        "preemptionPolicy",
        "priority",
        "priorityClassName",
        "readinessGates",
        "resourceClaims",
        "resources",
        "restartPolicy",
        "runtimeClassName",
        "schedulerName",
        "schedulingGates",
        "schedulingGroup",
        "securityContext",
        "serviceAccount",
        "serviceAccountName",
        "setHostnameAsFQDN",
        "shareProcessNamespace",
        "subdomain",
        "terminationGracePeriodSeconds",
        "tolerations",
        "topologySpreadConstraints",
        "volumes",
    ]
)

CONTAINER = frozenset(
    [
        "args",
        "command",
        "env",
        "envFrom",
        "image",
        "imagePullPolicy",
        "lifecycle",
        "livenessProbe",
        "name",
        "ports",
        "readinessProbe",
        "resizePolicy",
        "resources",
        "restartPolicy",
        "restartPolicyRules",
        "securityContext",
        "startupProbe",
        "stdin",
        "stdinOnce",
        "terminationMessagePath",
        "terminationMessagePolicy",
        "tty",
        "volumeDevices",
        "volumeMounts",
        "workingDir",
    ]
)

EPHEMERAL = CONTAINER | {"targetContainerName"}

PORT = frozenset({"containerPort", "hostIP", "hostPort", "name", "protocol"})

VOLUME = frozenset(
    [
        "awsElasticBlockStore",
        "azureDisk",
        "azureFile",
        "cephfs",
        "cinder",
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "fc",
        "flexVolume",
        "flocker",
        "gcePersistentDisk",
        "gitRepo",
        "glusterfs",
        "hostPath",
        "image",
        "iscsi",
        "name",
        "nfs",
        "persistentVolumeClaim",
        "photonPersistentDisk",
        "portworxVolume",
        "projected",
        "quobyte",
        "rbd",
        "scaleIO",
        "secret",
        "storageos",
        "vsphereVolume",
    ]
)

AFFINITY = frozenset({"nodeAffinity", "podAffinity", "podAntiAffinity"})
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
RULES = frozenset({REQUIRED, PREFERRED})
POD_TERM = frozenset(
    [
        "labelSelector",
        "matchLabelKeys",
        "mismatchLabelKeys",
        "namespaceSelector",
        "namespaces",
        "topologyKey",
    ]
)
SPREAD = frozenset(
    [
        "labelSelector",
        "matchLabelKeys",
        "maxSkew",
        "minDomains",
        "nodeAffinityPolicy",
        "nodeTaintsPolicy",
        "topologyKey",
        "whenUnsatisfiable",
    ]
)
GROUP = frozenset({"podGroupName"})
GATE = frozenset({"name"})

NODE_SPEC = frozenset(
    [
        "configSource",
        "externalID",
        "podCIDR",
        "podCIDRs",
        "podPreemptionPolicy",
        "providerID",
        "taints",
        "unschedulable",
    ]
)

NODE_STATUS = frozenset(
    [
        "addresses",
        "allocatable",
        "capacity",
        "conditions",
        "config",
        "daemonEndpoints",
        "declaredFeatures",
        "features",
        "images",
        "nodeInfo",
        "phase",
        "runtimeHandlers",
        "volumesAttached",
        "volumesInUse",
    ]
)

BUDGET_SPEC = frozenset(
    ["maxUnavailable", "minAvailable", "selector", "unhealthyPodEvictionPolicy"]
)

BUDGET_STATUS = frozenset(
    [
        "conditions",
        "currentHealthy",
        "desiredHealthy",
        "disruptedPods",
        "disruptionsAllowed",
        "expectedPods",
        "observedGeneration",
    ]
)

PRIORITY_CLASS = frozenset(
    ["apiVersion", "description", "globalDefault", "kind", "metadata", "preemptionPolicy", "value"]
)
