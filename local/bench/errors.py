"""Why a measurement failed.

BenchError          one sentence for the person who measures
"""


class BenchError(Exception):
    """The message is one sentence."""
