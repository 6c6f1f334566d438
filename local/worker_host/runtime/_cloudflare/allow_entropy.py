"""Cloudflare allows no randomness before the first request, with exceptions. Here it is always there."""

from contextlib import AbstractContextManager, nullcontext


def allow_bad_entropy_calls(_calls: int) -> AbstractContextManager[None]:
    return nullcontext()
