"""Why a demo failed.

DemoError           one sentence for the person who started it
├── StoryError      a step of the story did not end as it has to
└── ChartError      what arrived is not the chart that was made
"""


class DemoError(Exception):
    """The message is one sentence."""


class StoryError(DemoError):
    pass


class ChartError(DemoError):
    pass
