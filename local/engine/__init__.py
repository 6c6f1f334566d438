"""A container engine for one machine: Docker's API in front, bubblewrap behind.

workerd's `ctx.container` speaks to a Docker Engine API socket and to a networking sidecar. This
package plays both, so the code path that runs on Cloudflare runs here without Docker, images or a
network. `api` answers the socket, `engine` owns the containers, `sandbox` says what a computer may
see, `ingress` and `egress` carry its traffic. Read `docs/engine.md` first.
"""
