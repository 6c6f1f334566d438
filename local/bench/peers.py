"""What other ways of giving a bot a computer reach, as data; docs/performance.md says how it was measured.

Times are milliseconds, throughput is MB a second, memory is MiB of PSS. None stands where a peer cannot do
the thing at all.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    name: str
    version: str
    sandboxed: bool
    true_p50: float
    true_p95: float
    echo_p50: float
    echo_p95: float
    first_byte: float | None
    output_10mb: float | None
    four_sleeps: float
    true_per_second: float
    cold_start: float
    idle_memory_pss: float

    def figure(self, metric: str) -> float | None:
        value: float | None = getattr(self, metric, None)
        return value


PEERS = (
    Peer("sandbox-agent", "0.4.2", False, 3.50, 4.05, 3.30, 3.88, 46.2, 118, 210, 546, 40.2, 13.7),
    Peer("swe-rex", "1.4.0", False, 5.46, 7.13, 5.15, 6.22, None, 107, 829, 199, 517, 44.9),
    Peer("openssh", "9.2p1", False, 5.99, 7.75, 5.01, 6.16, 6.15, 240, 213, 372, 99.5, 9.07),
    Peer("open-terminal", "0.14.5", False, 6.07, 58.2, 6.39, 7.27, 17.5, 12.2, 218, 222, 561, 57.8),
    Peer("codex", "0.171.0", False, 7.98, 10.4, 7.75, 10.4, 8.47, 115, 252, 240, 78.4, 95.2),
    Peer("openhands", "1.58.2", False, 9.43, 12.3, 9.62, 11.3, 316, 80.4, 228, 144, 6794, 319),
    Peer("codex (sandboxed)", "0.171.0", True, 35.5, 48.5, 33.5, 42.6, 29.9, 102, 302, 57.0, 108, 96.3),
    Peer("sandbox-runtime", "0.0.78", True, 41.7, 52.0, 40.4, 49.5, 41.0, 108, 309, 40.8, 341, 79.9),
    Peer("jupyter-server", "2.21.1", False, 48.0, 48.4, 48.0, 48.1, None, 54.7, 221, 81.2, 2010, 102),
    Peer("codex exec-server", "0.171.0", False, 48.0, 52.1, 48.1, 52.1, 49.8, 121, 227, 77.5, 75.5, 50.6),
)


def best(metric: str, *, more_is_better: bool) -> tuple[str, float] | None:
    """Return the best peer in a metric, sandboxed or not, and its figure."""
    found = [(peer.name, value) for peer in PEERS if (value := peer.figure(metric)) is not None]
    if not found:
        return None
    return (max if more_is_better else min)(found, key=lambda entry: entry[1])
