"""Selectors as drivers and Kubernetes document them, on devices as these drivers publish them."""

import pytest

from tests.datasets.kubernetes.cel.devices import A100, DRIVER, MIG, NIC, answer, device

GPU = 'device.attributes["gpu.nvidia.com"]'
MEMORY = 'device.capacity["gpu.nvidia.com"].memory'

ON_A100 = {
    'device.driver == "gpu.nvidia.com"': True,
    f'device.driver == "gpu.nvidia.com" && {GPU}.type == "gpu"': True,
    f'{GPU}.productName.lowerAscii().matches("^.*a100.*$")': True,
    f'{GPU}.productName.contains("H100")': False,
    f'{GPU}["architecture"] in ["Ampere", "Hopper"]': True,
    f'{MEMORY}.compareTo(quantity("40Gi")) >= 0': True,
    f'{MEMORY}.isGreaterThan(quantity("80Gi"))': False,
    f'{MEMORY} == quantity("80Gi")': True,
    f"{MEMORY}.asInteger() / 1073741824 == 80": True,
    f'{GPU}.driverVersion.compareTo(semver("550.0.0")) >= 0': True,
    f'{GPU}.cudaComputeCapability.isLessThan(semver("9.0", true))': True,
    f"{GPU}.driverVersion.major() == 550 && {GPU}.driverVersion.patch() == 8": True,
    f'{GPU}.driverVersion == semver("550.127.8")': True,
    f"type({GPU}.index) == int && {GPU}.index % 2 == 1": True,
    f"!{GPU}.mig": True,
    f"{GPU}.mig": False,
    f"has({GPU}.profile)": False,
    f'has({GPU}.profile) && {GPU}.profile == "1g.10gb"': False,
    f'"profile" in {GPU}': False,
    f'!("profile" in {GPU}) || {GPU}.profile == "1g.10gb"': True,
    '"gpu.nvidia.com" in device.attributes': True,
    '"gpu.amd.com" in device.attributes': False,
    '"x" in device.attributes["gpu.amd.com"]': False,
    'size(device.attributes["gpu.amd.com"]) == 0': True,
    "has(device.attributes.nowhere)": True,  # a domain looked up is there: an empty map
    f'{GPU}.?profile.orValue("none") == "none"': True,
    f"{GPU}.?index.hasValue()": True,
    'device.attributes[?"gpu.nvidia.com"].?index.value() == 3': True,
    "device.attributes.?nowhere.?index.orValue(7) == 7": True,
    f'cel.bind(gpu, {GPU}, gpu.type == "gpu" && gpu.index < 8)': True,
    'cel.bind(d, device, d.driver == "gpu.nvidia.com")': True,
    'device.attributes["resource.kubernetes.io"].pcieRoot == "pci0000:01"': True,
    f'{GPU}.links.includes("nvlink") && {GPU}.architecture.includes("Ampere")': True,
    f'{GPU}.links.exists(l, l.startsWith("nv"))': True,
    f'"pcie" in {GPU}.links': True,
    f'{GPU}.versions.all(v, v.isGreaterThan(semver("0.9.0")))': True,
    f'{GPU}.versions.includes(semver("2.0.0"))': True,
    'device.attributes["gpu.nvidia.com"].exists(k, k.startsWith("cuda"))': True,
    'device.capacity["gpu.nvidia.com"].multiprocessors.asInteger() >= 100': True,
    "device.allowMultipleAllocations": False,
    f"{GPU}.index == 3.0": True,
    f'{GPU}.index == "3"': False,
    # errors
    f'{GPU}.profile == "1g.10gb"': "no such key: profile",
    'device.attributes["gpu.amd.com"].model == "MI300X"': "no such key: model",
    'device.capacity["gpu.amd.com"].memory.isGreaterThan(quantity("1"))': "no such key: memory",
    f"{GPU}.productName > 3": "no such overload",
    f'{GPU}.driverVersion > "550"': "no such overload",
    f'{GPU}.productName.isGreaterThan(semver("1.0.0"))': "no such overload",
    f"{GPU}.productName": "CEL result of type string could not be converted to bool",
    f"{GPU}.links": "CEL result of type list could not be converted to bool",
    f"{GPU}.index.exists(x, x > 0)": "got 'int', expected iterable type",
    # errors that a logical operator absorbs
    f'{GPU}.profile == "x" || device.driver == "gpu.nvidia.com"': True,
    f'{GPU}.profile == "x" && device.driver == "other"': False,
}


@pytest.mark.parametrize(("expression", "expected"), ON_A100.items())
def test_on_an_a100(expression: str, expected: bool | str) -> None:
    assert answer(expression) == expected


def test_a_mig_profile_selects_the_slice_and_not_the_gpu() -> None:
    profile = f"has({GPU}.profile) && {GPU}.profile == '1g.10gb'"
    assert answer(profile, MIG) is True
    assert answer(profile, A100) is False
    assert answer(f'{MEMORY}.compareTo(quantity("10Gi")) < 0', MIG) is True


def test_a_nic_by_its_network_and_its_sharing() -> None:
    network = 'cidr("10.0.0.0/16").containsIP(device.attributes["dra.net"].ip)'
    assert answer(f"{network} && device.allowMultipleAllocations", NIC, "dra.net") is True
    assert answer('device.attributes["dra.net"].rdma', NIC, "dra.net") is True


def test_the_driver_is_the_domain_of_bare_names_only_in_records() -> None:
    assert answer('device.attributes["x.com"].a == 1', device({"x.com/a": 1}), "y.com") is True


def test_a_capacity_with_a_fraction_is_no_integer() -> None:
    from fractions import Fraction

    half = device(capacity={f"{DRIVER}/memory": Fraction(1, 2)})
    assert answer(f"{MEMORY}.isInteger()", half) is False
    assert answer(f'{MEMORY} == quantity("500m")', half) is True


def test_includes_looks_at_48_values() -> None:
    long = device({"x.com/l": tuple(range(49))})
    assert answer('device.attributes["x.com"].l.includes(47)', long) is True
    assert "longer than 48 values" in str(answer('device.attributes["x.com"].l.includes(48)', long))
