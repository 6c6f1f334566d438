"""The settings of notices in real Chromium, and a push as its service worker shows it."""

import time
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations
from tests.browser.test_settings import section

SECONDS = 60.0
# The push service of the browser's maker is out of reach: a subscription is made without asking it, with the
# keys of RFC 8291. Permission is given when it is asked for, and how often that was is counted.
PUSHED = """
window.permissionsAsked = 0;
Notification.requestPermission = async () => { window.permissionsAsked += 1; return "granted"; };
let kept = null;
PushManager.prototype.subscribe = async function ({ applicationServerKey }) {
  const keys = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  const endpoint = "https://push.example/send/1";
  kept = {
    endpoint,
    options: { applicationServerKey: applicationServerKey.buffer },
    toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => { kept = null; return true; },
  };
  return kept;
};
PushManager.prototype.getSubscription = async () => kept;
"""


def prepared(visit: Visit, url: str, script: str, **options: Any) -> Page:
    """A page on which a script runs before all others."""
    page = visit("about:blank", service_workers="allow", **options)
    page.add_init_script(script)
    page.goto(url)
    return page


def opened(page: Page, *, phone: bool = False) -> Locator:
    notices = section(page, "Notices", phone=phone)
    expect(notices.get_by_role("heading", name="Webhook", exact=True)).to_be_visible()
    return notices


def part(notices: Locator, name: str) -> Locator:
    return notices.get_by_role("group", name=name, exact=True)


def test_a_browser_is_notified_upon_a_click_and_tested_and_stopped(mock: str, visit: Visit) -> None:
    page = prepared(visit, mock, PUSHED)
    browser = part(opened(page), "Browser")
    expect(browser.get_by_text("This browser gets no notices.")).to_be_visible()
    page.wait_for_function("window.permissionsAsked === 0")
    browser.get_by_role("button", name="Notify me in this browser").click()
    expect(browser.get_by_text("This browser gets notices.")).to_be_visible()
    page.wait_for_function("window.permissionsAsked === 1")
    browser.get_by_label("Runs that failed").uncheck()
    expect(browser.get_by_label("Runs that failed")).not_to_be_checked()
    expect(browser.get_by_label("Runs that need your answer")).to_be_checked()
    browser.get_by_role("button", name="Send a test").click()
    expect(browser.get_by_role("status").get_by_text("Sent")).to_be_visible()
    browser.get_by_role("button", name="Stop in this browser").click()
    expect(browser.get_by_text("This browser gets no notices.")).to_be_visible()
    expect(browser.get_by_role("button", name="Send a test")).to_have_count(0)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("Object.defineProperty(window, 'isSecureContext', { value: false });", "served over https"),
        ("delete window.PushManager;", "cannot take notices"),
        (
            "Object.defineProperty(Notification, 'permission', { get: () => 'denied' });",
            "settings forbid notices",
        ),
    ],
)
def test_a_browser_that_cannot_be_notified_is_told_why(
    mock: str, visit: Visit, script: str, said: str
) -> None:
    browser = part(opened(prepared(visit, mock, script)), "Browser")
    expect(browser.get_by_text(said)).to_be_visible()
    expect(browser.get_by_role("button", name="Notify me in this browser")).to_have_count(0)


def test_a_push_service_that_is_out_of_reach_is_said_to_be(mock: str, visit: Visit) -> None:
    broken = "PushManager.prototype.subscribe = async () => { throw new DOMException('no', 'AbortError'); };"
    browser = part(opened(prepared(visit, mock, PUSHED + broken)), "Browser")
    browser.get_by_role("button", name="Notify me in this browser").click()
    expect(browser.get_by_role("alert")).to_contain_text("could not reach its push service")


def test_a_secret_is_shown_once_and_mail_needs_its_code(mock: str, visit: Visit, watch: Watch) -> None:
    watch.expected = ("status of 422",)
    page = visit(mock)
    notices = opened(page)
    hook, mail = part(notices, "Webhook"), part(notices, "Email")
    hook.get_by_label("Address").fill("https://hooks.example/a?token=b")
    hook.get_by_role("button", name="Set up").click()
    expect(hook.get_by_text("whsec_")).to_be_visible()
    mail.get_by_label("Address").fill("o@example.org")
    mail.get_by_role("button", name="Send a code").click()
    mail.get_by_label("Code that was sent to o@example.org").fill("000000")
    mail.get_by_role("button", name="Confirm").click()
    expect(notices.get_by_text("This is not the code that was sent")).to_be_visible()
    mail.get_by_label("Code that was sent to o@example.org").fill("123456")
    mail.get_by_role("button", name="Confirm").click()
    expect(mail.get_by_role("button", name="Remove o@example.org")).to_be_visible()
    page.keyboard.press("Escape")
    hook = part(opened(page), "Webhook")
    expect(hook.get_by_text("hooks.example", exact=True)).to_be_visible()
    expect(hook.get_by_text("whsec_")).to_have_count(0)
    hook.get_by_role("button", name="Remove hooks.example").click()
    expect(hook.get_by_role("button", name="Set up")).to_be_visible()


def test_quiet_hours_are_kept_in_the_owners_time_zone(mock: str, visit: Visit) -> None:
    page = visit(mock)
    section(page, "General").get_by_label("Time zone").select_option("Asia/Shanghai")
    when = part(opened(page), "When and what")
    when.get_by_label("Quiet hours").check()
    expect(when.get_by_label("From")).to_have_value("22:00")
    when.get_by_label("From").fill("23:30")
    when.get_by_label("Until").fill("23:30")
    expect(when.get_by_text("Choose another end.")).to_be_visible()
    when.get_by_label("Until").fill("06:15")
    when.get_by_label("Until").blur()
    expect(when.get_by_text("In Asia/Shanghai.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_have_count(0)
    when = part(opened(page), "When and what")
    expect(when.get_by_label("From")).to_have_value("23:30")
    expect(when.get_by_label("Until")).to_have_value("06:15")


@pytest.mark.parametrize(("theme", "phone"), [("dark", False), ("light", True)])
def test_the_settings_break_no_rule_of_accessibility(
    mock: str, visit: Visit, theme: str, phone: bool
) -> None:
    page = prepared(visit, mock, PUSHED, color_scheme=theme, phone=phone)
    notices = opened(page, phone=phone)
    notices.get_by_role("button", name="Notify me in this browser").click()
    expect(notices.get_by_text("This browser gets notices.")).to_be_visible()
    assert violations(page) == []


def test_a_push_is_shown_with_its_thread(mock: str, visit: Visit) -> None:
    page = visit(mock, service_workers="allow")
    page.context.grant_permissions(["notifications"])
    control = page.context.new_cdp_session(page)
    known: list[dict[str, Any]] = []
    control.on("ServiceWorker.workerVersionUpdated", lambda event: known.extend(event["versions"]))
    control.send("ServiceWorker.enable")
    page.evaluate(
        """async () => {
          await navigator.serviceWorker.register("/service-worker.js");
          await navigator.serviceWorker.ready;
        }"""
    )
    page.wait_for_function("() => navigator.serviceWorker.controller?.state === 'activated'")
    registration = next(one["registrationId"] for one in reversed(known) if one["status"] == "activated")
    data = '{"id": "approval:int_1", "title": "Approval needed", "body": "Quill", "path": "/t/thr_1"}'
    control.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": mock.rstrip("/"), "registrationId": registration, "data": data},
    )
    # What is awaited is no condition that the page can be asked to wait for.
    shown = page.evaluate(
        """async (until) => {
          const registration = await navigator.serviceWorker.ready;
          while (Date.now() < until) {
            const [one] = await registration.getNotifications();
            if (one) return [one.title, one.body, one.tag, one.data.path];
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          return null;
        }""",
        (time.time() + SECONDS) * 1000,
    )
    assert shown == ["Approval needed", "Quill", "approval:int_1", "/t/thr_1"]
