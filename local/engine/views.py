"""How the engine's records look in Docker's JSON: the fields that somebody reads, and no others."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from local.engine.containers import Container
from local.engine.execs import Exec
from local.engine.records import Status
from local.engine.volumes import Volume

INGRESS_PORT = "39001/tcp"
BRIDGE = {
    "Name": "bridge",
    "Id": "bridge",
    "IPAM": {
        "Driver": "default",
        "Config": [{"Subnet": "127.0.0.0/8", "Gateway": "127.0.0.1"}],
    },
}
VERSION = {"Version": "berth", "ApiVersion": "1.43", "MinAPIVersion": "1.24", "Os": "linux"}


def moment(seconds: float) -> str:
    if not seconds:
        return "0001-01-01T00:00:00Z"
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def inspection(container: Container) -> dict[str, object]:
    spec, running = container.spec, container.running
    return {
        "Id": container.id,
        "Name": "/" + container.name,
        "Created": moment(container.made_at),
        "State": {
            "Status": str(container.status),
            "Running": container.status is Status.RUNNING,
            "Paused": False,
            "Restarting": False,
            "OOMKilled": container.out_of_memory,
            "Dead": False,
            "Pid": running.process.popen.pid if running is not None else 0,
            "ExitCode": container.exit_code,
            "Error": "",
            "StartedAt": moment(container.started_at),
            "FinishedAt": moment(container.finished_at),
        },
        "Config": {
            "Image": spec.image,
            "Cmd": list(spec.command),
            "Entrypoint": list(spec.entrypoint),
            "Env": [f"{name}={value}" for name, value in spec.environment.items()],
            "Labels": dict(spec.labels),
        },
        "NetworkSettings": {"Ports": ports(container)},
    }


def ports(container: Container) -> dict[str, object]:
    if container.sidecar is None or container.status is not Status.RUNNING:
        return {}
    return {INGRESS_PORT: [{"HostIp": "127.0.0.1", "HostPort": str(container.sidecar.port)}]}


def summary(container: Container) -> dict[str, object]:
    return {
        "Id": container.id,
        "Names": ["/" + container.name],
        "Image": container.spec.image,
        "Created": int(container.made_at),
        "State": str(container.status),
        "Labels": dict(container.spec.labels),
        "HostConfig": {"NetworkMode": network(container)},
    }


def network(container: Container) -> str:
    shared = container.spec.network_of
    return f"container:{shared}" if shared else "bridge"


Filters = Mapping[str, Sequence[str]]


def labelled(labels: Mapping[str, str], filters: Filters) -> bool:
    """Apply the filter by labels: `name` or `name=value`, and all of them."""
    wanted = [entry.partition("=") for entry in filters.get("label", ())]
    return all(k in labels and (not equals or labels[k] == v) for k, equals, v in wanted)


def matches(container: Container, filters: Filters) -> bool:
    """Apply Docker's filters; several values of one name are alternatives, but for labels."""
    tests = (
        labelled(container.spec.labels, filters),
        _any(filters, "name", lambda value: value in container.name),
        _any(filters, "id", container.id.startswith),
        _any(filters, "status", lambda value: value == container.status),
        _any(filters, "ancestor", lambda value: value == container.spec.image),
    )
    return all(tests)


def _any(filters: Filters, name: str, test: Callable[[str], bool]) -> bool:
    return name not in filters or any(test(value) for value in filters[name])


def volume(found: Volume) -> dict[str, object]:
    return {"Name": found.name, "Driver": "local", "Labels": dict(found.labels), "Scope": "local"}


def execution(record: Exec) -> dict[str, object]:
    return {
        "ID": record.id,
        "ContainerID": record.container,
        "Running": record.popen is not None and record.exit_code is None,
        "ExitCode": record.exit_code,
        "Pid": record.popen.pid if record.popen is not None else 0,
        "OpenStdin": True,
        "OpenStdout": True,
        "OpenStderr": True,
        "ProcessConfig": {"tty": record.terminal, "arguments": list(record.command)},
    }
