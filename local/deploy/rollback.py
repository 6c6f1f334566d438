"""Going back to an earlier version of a Worker, and when that cannot be.

Cloudflare keeps the code of versions, not the data: the objects stay as they are. So it does not go back over
a migration of classes, and an older Berth must be able to live with tables of the next one
(docs/decisions/033-tables-only-grow.md).
"""

from collections.abc import Sequence

from local.deploy.account import Version
from local.launcher.errors import LauncherError


def target_of(versions: Sequence[Version], running: str, wanted: str = "") -> Version:
    """The version to go back to: the one that is named, else the one before the running one.

    `versions` are newest first; `wanted` may be the beginning of an id. Raises LauncherError.
    """
    now = next((version for version in versions if version.id == running), None)
    if now is None:
        raise LauncherError(
            "the version that runs is none of the newest ones: name one by hand in the dashboard"
        )
    if wanted:
        fitting = [version for version in versions if version.id.startswith(wanted)]
        if len(fitting) != 1:
            raise LauncherError(f"{'no' if not fitting else 'more than one'} version begins with {wanted}")
        chosen = fitting[0]
    else:
        older = [version for version in versions if version.number < now.number]
        if not older:
            raise LauncherError("there is no version before the one that runs")
        chosen = max(older, key=lambda version: version.number)
    if chosen.id == now.id:
        raise LauncherError("this is the version that runs")
    if chosen.migration != now.migration:
        raise LauncherError(
            f"version {chosen.number} is from before the migration {now.migration} of the objects' classes,"
            " and Cloudflare does not go back over one: mend it forwards"
        )
    return chosen
