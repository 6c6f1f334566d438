"""How much an owner's computer may send and fetch: a token bucket of requests and one of bytes.

Plain values and rules. Bytes are counted after they moved, so their bucket may fall below nothing; then new
requests wait until it is back, and running ones are slowed down.
"""

from dataclasses import dataclass, replace

from contracts.limits import (
    EGRESS_BYTES_A_SECOND,
    EGRESS_BYTES_BURST,
    EGRESS_REQUESTS_A_SECOND,
    EGRESS_REQUESTS_BURST,
)


@dataclass(frozen=True)
class Bucket:
    requests: float = EGRESS_REQUESTS_BURST
    bytes: float = EGRESS_BYTES_BURST
    at_ms: int = 0

    def refilled(self, now_ms: int) -> "Bucket":
        """The bucket at this time; a clock that went back gives nothing and takes nothing."""
        seconds = max(0, now_ms - self.at_ms) / 1000
        return Bucket(
            min(EGRESS_REQUESTS_BURST, self.requests + seconds * EGRESS_REQUESTS_A_SECOND),
            min(EGRESS_BYTES_BURST, self.bytes + seconds * EGRESS_BYTES_A_SECOND),
            now_ms,
        )

    @property
    def wait_s(self) -> float:
        """How long until the next request may go; 0 for now."""
        for_request = max(0.0, 1 - self.requests) / EGRESS_REQUESTS_A_SECOND
        return max(for_request, self.bytes_wait_s)

    @property
    def bytes_wait_s(self) -> float:
        """How long until more bytes may move; 0 for now."""
        return max(0.0, -self.bytes) / EGRESS_BYTES_A_SECOND

    def less_request(self) -> "Bucket":
        return replace(self, requests=self.requests - 1)

    def less_bytes(self, count: int) -> "Bucket":
        return replace(self, bytes=self.bytes - count)
