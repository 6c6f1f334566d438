"""The read-only system that a computer sees, and the `/etc` made for it.

Without an image the computer borrows the host's /usr, which is Debian's own; /usr/local, /opt and
/var are left out. Of /etc only what programs need is copied, and accounts, host names and the
resolver are written here, so nothing tells of the host. With an image (a folder that holds a root
file system) all comes from there. The copy is made once, when the engine starts.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from local.engine.errors import MachineRefusesError

USER, UID = "berth", 1000

FROM_HOST = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "chromium", "chromium.d",
    "debian_version", "fonts", "glvnd", "gai.conf", "groff", "host.conf", "inputrc", "issue",
    "java-17-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ldap", "libaudit.conf",
    "locale.alias", "magic", "magic.mime", "mime.types", "netconfig", "networks", "os-release",
    "perl", "protocols", "python3", "python3.11", "rpc", "services", "sgml", "shells", "skel",
    "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone", "localtime", "ucf.conf", "vim",
    "wgetrc", "X11", "xattr.conf", "xdg", "xml", "ImageMagick-6", "R", "texmf",
    "bash_completion.d", "emacs",
)  # fmt: skip
"""What of the host's /etc programs need; nothing that a person or a host puts secrets into."""

NOT_FROM_IMAGE = frozenset((
    "passwd", "passwd-", "group", "group-", "shadow", "shadow-", "gshadow", "gshadow-", "hosts",
    "hostname", "resolv.conf", "machine-id", "nsswitch.conf", "ssh", "sudoers", "sudoers.d",
    "subuid", "subgid", "mtab", "fstab", "cloudflare", ".pwd.lock",
))  # fmt: skip

WRITTEN = {
    "passwd": f"root:x:0:0:root:/root:/usr/sbin/nologin\n"
    f"{USER}:x:{UID}:{UID}:Berth:/home/berth:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": f"root:x:0:\ntty:x:5:\n{USER}:x:{UID}:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost berth\n::1 localhost berth\n",
    "hostname": "berth\n",
    "resolv.conf": "nameserver 127.0.0.1\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n"
    "networks: files\nprotocols: files\nservices: files\n",
    "machine-id": "",
}

PROFILE = """if [ -z "${PATH-}" ]; then PATH=/usr/local/bin:/usr/bin:/bin; export PATH; fi
if [ -d /etc/profile.d ]; then
  for part in /etc/profile.d/*.sh; do if [ -r "$part" ]; then . "$part"; fi; done; unset part
fi
"""
"""For login shells without an image: unlike Debian's own it keeps the PATH that is set."""


@dataclass(frozen=True)
class System:
    """Where the pieces of the read-only system are on the host."""

    root: Path
    etc: Path
    computer: Path | None
    is_image: bool

    @property
    def has_var(self) -> bool:
        """True if `/var` is the image's own, with a `tmp` to cover."""
        return self.is_image and (self.root / "var/tmp").is_dir()

    def arguments(self) -> list[str]:
        """Return the part of bubblewrap's command line that lays the system out."""
        found = ["--ro-bind", str(self.root / "usr"), "/usr"]
        if not self.is_image and (self.root / "usr/local").is_dir():
            found += ["--tmpfs", "/usr/local", "--remount-ro", "/usr/local"]
        for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
            found += _top(self.root / name, "/" + name)
        found += ["--ro-bind", str(self.etc), "/etc"]
        if self.has_var:
            found += ["--ro-bind", str(self.root / "var"), "/var"]
        else:
            found += [
                "--dir",
                "/var/cache",
                "--symlink",
                "../tmp",
                "/var/tmp",
                "--symlink",
                "../run",
                "/var/run",
            ]
            found += ["--ro-bind-try", "/var/cache/fontconfig", "/var/cache/fontconfig"]
        if source := self._entry_point():
            found += ["--ro-bind", str(source), "/opt/berth"]
        return found

    def _entry_point(self) -> Path | None:
        if self.computer is not None:
            return self.computer
        inside = self.root / "opt/berth"
        return inside if self.is_image and inside.exists() else None


def _top(source: Path, target: str) -> list[str]:
    if source.is_symlink():
        return ["--symlink", os.readlink(source).lstrip("/"), target]
    return ["--ro-bind", str(source), target] if source.is_dir() else []


def prepare(etc: Path, computer: Path | None, image_root: Path | None) -> System:
    """Write `/etc` for the computers into the folder `etc` and return the whole system."""
    root = image_root or Path("/")
    if not (root / "usr/bin").is_dir():
        raise MachineRefusesError(f"{root} holds no system: there is no usr/bin in it")
    if etc.exists():
        shutil.rmtree(etc)
    etc.mkdir(parents=True, mode=0o755)
    if image_root is None:
        names = list(FROM_HOST)
    else:
        names = [name for name in os.listdir(root / "etc") if name not in NOT_FROM_IMAGE]
    for name in names:
        _copy(root / "etc" / name, etc / name)
    for name, text in WRITTEN.items():
        (etc / name).write_text(text)
    if image_root is None:
        (etc / "profile").write_text(PROFILE)
        (etc / "bash.bashrc").write_text("")
    (etc / "cloudflare").mkdir()
    (etc / "mtab").symlink_to("/proc/self/mounts")
    return System(root, etc, computer, image_root is not None)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target.symlink_to(os.readlink(source))
    elif source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=_unreadable)
    elif source.is_file():
        shutil.copyfile(source, target)
        target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def _unreadable(folder: str, names: list[str]) -> set[str]:
    """Leave out what only its owner may read: it was not meant for everybody."""
    found = set()
    for name in names:
        mode = os.lstat(os.path.join(folder, name)).st_mode
        if not mode & 0o004:
            found.add(name)
    return found
