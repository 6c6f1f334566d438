"""Mail through an HTTP service: what an operator can say of it, and that nothing filled in can say more."""

import json

import pytest

from durable_objects.bot_owner.notices.mail import MailCarrier, MailHook, read_mail_hook
from tests.unit.durable_objects.bot_owner.notices.test_web_push import notice

SERVICE = "https://mail.example/v1/send"


def hook(template: str = "", header: str = "Authorization: Bearer k") -> MailHook:
    found = read_mail_hook(SERVICE, header, template)
    assert found is not None
    return found


def test_without_a_template_it_is_three_fields() -> None:
    parcel = hook().parcel("ntc_1", "o@example.org", "Hello", "Text")
    assert json.loads(parcel.body) == {"to": "o@example.org", "subject": "Hello", "text": "Text"}
    assert parcel.headers == {
        "content-type": "application/json",
        "idempotency-key": "ntc_1",
        "authorization": "Bearer k",
    }


def test_a_template_is_filled_in_wherever_its_marks_stand() -> None:
    template = json.dumps(
        {
            "personalizations": [{"to": [{"email": "{to}"}]}],
            "subject": "[Berth] {subject}",
            "content": [{"type": "text/plain", "value": "{text}"}],
            "tracking": False,
        }
    )
    made = json.loads(hook(template).parcel("i", "o@example.org", "S", "T").body)
    assert made == {
        "personalizations": [{"to": [{"email": "o@example.org"}]}],
        "subject": "[Berth] S",
        "content": [{"type": "text/plain", "value": "T"}],
        "tracking": False,
    }


def test_what_is_filled_in_stays_text() -> None:
    text = '"}, "to": "x@example.org", {to} {subject}'
    made = json.loads(hook().parcel("i", "o@example.org", "{text}", text).body)
    assert made == {"to": "o@example.org", "subject": "{text}", "text": text}


@pytest.mark.parametrize(
    ("url", "header", "template"),
    [
        ("ftp://mail.example", "", ""),
        ("mail.example", "", ""),
        (SERVICE, "Authorization", ""),
        (SERVICE, "Authorization: a\r\nX: b", ""),
        (SERVICE, "", "{not json"),
        (SERVICE, "", '{"text": "{text}"}'),
        (SERVICE, "", '{"to": "{to}"}'),
    ],
)
def test_what_an_operator_got_wrong_is_said(url: str, header: str, template: str) -> None:
    with pytest.raises(ValueError, match=r"^the (address|header|template) "):
        read_mail_hook(url, header, template)


def test_without_an_address_there_is_no_mail() -> None:
    assert read_mail_hook(" ", "A: b", "") is None


async def test_a_notice_is_a_short_mail_with_a_link() -> None:
    parcel = await MailCarrier(hook()).parcel(notice(), {"address": "o@example.org"})
    assert json.loads(parcel.body) == {
        "to": "o@example.org",
        "subject": "Berth: Approval needed",
        "text": "Approval needed\nData · Prices 价格\n\nhttps://berth.example/t/thr_1\n",
    }


def test_a_hook_does_not_show_its_header() -> None:
    assert "Bearer" not in repr(hook())
    assert "Bearer" not in repr(hook().parcel("i", "o@example.org", "s", "t"))
