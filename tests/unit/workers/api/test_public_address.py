"""Where notices are sent: public hosts over https, in one spelling, and nothing inside."""

import pytest

from api.public_address import notice_url
from contracts.errors import BerthError, ErrorCode

OWN = ["berth.example"]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("https://hooks.example", "https://hooks.example/"),
        (" https://Hooks.Example.:443/a ", "https://hooks.example/a"),
        ("https://hooks.example:8443/a/b?token=c%2Fd", "https://hooks.example:8443/a/b?token=c%2Fd"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        (
            "https://fcm.googleapis.com/fcm/send/cZ:APA91bH_-x",
            "https://fcm.googleapis.com/fcm/send/cZ:APA91bH_-x",
        ),
        (
            "https://wns2-by3p.notify.windows.com/w/?token=BQYAAAD%2fx%3d",
            "https://wns2-by3p.notify.windows.com/w/?token=BQYAAAD%2fx%3d",
        ),
    ],
)
def test_a_public_host_is_asked_in_one_spelling(given: str, sent: str) -> None:
    assert notice_url(given, OWN) == sent
    assert notice_url(sent, OWN) == sent


@pytest.mark.parametrize(
    "given",
    [
        "http://hooks.example/",
        "ftp://hooks.example/",
        "hooks.example",
        "javascript:alert(1)",
        "https://",
        "https:///a",
        "https://user:pass@hooks.example/",
        "https://hooks.example/#a",
        "https://hooks.example/a\u202eb",
        "https://hooks.example/数",
        "https://hooks.example:0/",
        "https://hooks.example:99999/",
        "https://hooks.example/a/../b",
        "https://hooks.example/%2e%2e/a",
        "https://hooks.example//a",
        # Inside: addresses in every spelling, names of networks, of clouds' metadata and of Berth itself.
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.0.0.1/",
        "https://192.168.1.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://①②⑦.⓪.⓪.①/",
        "https://[::ffff:10.0.0.1]/",
        "https://localhost/",
        "https://a.localhost/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://intranet/",
        "https://router.lan/",
        "https://berth.example/api/me",
        "https://BERTH.example./",
    ],
)
def test_what_is_not_public_is_refused_with_a_sentence(given: str) -> None:
    with pytest.raises(BerthError, match="Notices cannot be sent to this address") as refused:
        notice_url(given, OWN)
    assert refused.value.code is ErrorCode.INVALID_REQUEST
