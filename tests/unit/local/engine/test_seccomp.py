"""The list of forbidden system calls, and that it compiles."""

import errno

import pytest

from local.engine.seccomp import FAMILIES, compile_filter, errno_action, load_library, rules


def test_what_namespaces_do_not_close_is_forbidden() -> None:
    denied = {
        rule.call for rule in rules() if rule.action == errno_action(errno.EPERM) and rule.compare is None
    }
    assert {
        "keyctl",
        "add_key",
        "request_key",
        "bpf",
        "perf_event_open",
        "userfaultfd",
        "kexec_load",
    } <= denied


def test_what_chromium_needs_for_its_own_sandbox_is_not_forbidden() -> None:
    calls = {rule.call for rule in rules()}
    assert not calls & {
        "clone",
        "clone3",
        "unshare",
        "setns",
        "mount",
        "umount2",
        "pivot_root",
        "chroot",
        "ptrace",
    }


def test_young_interfaces_are_answered_as_if_they_were_missing() -> None:
    missing = {rule.call for rule in rules() if rule.action == errno_action(errno.ENOSYS)}
    assert {"io_uring_setup", "io_uring_enter", "io_uring_register"} <= missing


@pytest.mark.parametrize(
    ("family", "allowed"),
    [(1, True), (2, True), (10, True), (16, True), (17, False), (40, False), (38, False),
     (3, False), (0, False),
     (4000, False)],
)  # fmt: skip
def test_only_four_socket_families_are_offered(family: int, allowed: bool) -> None:
    compares = [rule.compare for rule in rules() if rule.call == "socket" and rule.compare]
    refused = any(family == value if operator == 4 else family > value for _, operator, value, _ in compares)
    assert refused is not allowed
    assert (family in FAMILIES) is allowed


@pytest.mark.skipif(load_library() is None, reason="no libseccomp on this machine")
def test_the_filter_compiles_to_whole_instructions() -> None:
    program = compile_filter()
    assert program is not None
    assert len(program) > 100
    assert len(program) % 8 == 0
