"""What holds for every screen: enlarged, by keyboard alone, with little motion, without anything jumping."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.browsing import Visit, Watch
from tests.browser.test_settings import SECTIONS
from tests.browser.threads import ENDLESS, cards, command, new_thread, say, standing, terminal

# The pretended server has no routines; the page says so.
NOT_PRETENDED = ("status of 404",)

# 1440x900 at 200 %, and a small laptop's 1280 px at 400 %, where WCAG 1.4.10 still wants no second direction.
ENLARGED = [{"width": 720, "height": 450}, {"width": 320, "height": 568}]

# What reaches out of the window, or out of a box that cuts and does not scroll. Text that is cut with an
# ellipsis says so; a table or a terminal scrolls by itself; what is for the ear alone has no size.
CUT = """() => {
  const cut = [];
  const seen = (e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  // What scrolls sideways by itself is a stop of the Tab key for that; the page's own scrollers go down only.
  const inOwnScroll = (e) => e.closest('[tabindex="0"]:not([role=log], [role=tabpanel])') !== null;
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) cut.push(`the page scrolls sideways by ${wide}px`);
  for (const e of document.body.querySelectorAll("*")) {
    const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim() !== "");
    const control = e.matches("button, input, select, textarea, a[href]");
    if (!(own || control) || !seen(e) || inOwnScroll(e)) continue;
    if (e.closest(".aside-visually, svg, option")) continue;
    const { left, right, width } = e.getBoundingClientRect();
    if (width < 2) continue;
    const name = `${e.tagName.toLowerCase()} “${(e.textContent || e.ariaLabel || "").trim().slice(0, 40)}”`;
    if (left < -1 || right > innerWidth + 1) cut.push(`${name} reaches out of the window`);
    const { overflowX, textOverflow } = getComputedStyle(e);
    if (overflowX === "hidden" && textOverflow !== "ellipsis" && e.scrollWidth > e.clientWidth + 1)
      cut.push(`${name} is cut`);
  }
  return cut;
}"""

# A stop of the Tab key, and whether it looks otherwise than without the focus, itself or the box around it.
STOP = """() => {
  const e = document.activeElement;
  if (e === null || e === document.body) return null;
  const around = [e, e.parentElement, e.parentElement?.parentElement, e.closest("form")].filter(Boolean);
  const looks = () => JSON.stringify(around.map((one) => {
    const { outline, boxShadow, borderColor, backgroundColor } = getComputedStyle(one);
    return [outline, boxShadow, borderColor, backgroundColor];
  }));
  for (const one of around) one.style.transition = "none";
  const focused = looks();
  e.blur();
  const shown = looks() !== focused;
  e.focus({ preventScroll: true, focusVisible: true });
  const text = e.ariaLabel || e.textContent || e.id || "";
  const name = `${e.tagName.toLowerCase()} “${text.trim().slice(0, 40)}”`;
  return { name, shown, key: [...document.querySelectorAll("*")].indexOf(e) };
}"""

# Everything that the Tab key has to come by: of radio buttons of one name, only one.
STOPS = """() => {
  const groups = new Set();
  return [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex]"
  )].filter((e) => {
    if (e.tabIndex < 0 || e.disabled || !e.checkVisibility({ checkVisibilityCSS: true })) return false;
    if (e.type !== "radio") return true;
    const fresh = !groups.has(e.name);
    groups.add(e.name);
    return fresh;
  }).length;
}"""

SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      // A word of another length moves what is beside it; what is below it must not move.
      const jumped = sources.filter((one) => Math.abs(one.previousRect.y - one.currentRect.y) > 1);
      const nodes = jumped.map(({ node }) => node?.nodeType === Node.TEXT_NODE ? node.parentElement : node);
      const outside = nodes.filter((one) => one !== null && one.closest("[role=log]") === null);
      const moved = outside.map((one) => one.outerHTML.slice(0, 80));
      shifts.push({ value, at: startTime, moved });
    }
  }).observe({ type: "layout-shift", buffered: true });
}"""
# Cumulative layout shift for each command that ends: its card grows by its output, and moves what is above.
# For the whole of a visit 0.1 is called good; how many commands end in one is no matter of the page.
SHIFT_A_COMMAND = 0.03

# Not typed: what a person does may move what they look at.
POST = """([client_id, text]) => fetch(`/api${location.pathname.replace("/t/", "/threads/")}/messages`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ client_id, text }),
})"""

MOVING = """() => document.getAnimations()
  .filter((one) => one.playState === "running" && one.effect.getComputedTiming().activeDuration > 10)
  .map((one) => one.effect.target.outerHTML.slice(0, 80))"""


def busy_thread(page: Page) -> None:
    new_thread(page)
    say(page, "a `word` and **another**, with a-very-long-word-that-goes-on-" + "and-on-" * 20)
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    expect(standing(command(page, "pytest -q"), "failed")).to_be_visible()
    command(page, "table")
    expect(cards(page, "artifact")).to_be_visible()


def at(path: str) -> Callable[[Page], None]:
    def go(page: Page) -> None:
        page.goto(f"{page.url.rstrip('/')}{path}")
        expect(page.get_by_role("heading").first).to_be_visible()
        # Parts of a section come by and by.
        page.wait_for_load_state("networkidle")

    return go


def home(page: Page) -> None:
    expect(page.get_by_role("main").get_by_role("button", name="New thread")).to_be_visible()


SCREENS: dict[str, Callable[[Page], None]] = {
    "home": home,
    "thread": busy_thread,
    "routines": at("/routines"),
    "share": at("/share?lost=all"),
    **{f"settings/{name.lower()}": at(f"/settings/{name.lower()}") for name in SECTIONS},
}


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("size", ENLARGED, ids=["200%", "400%"])
def test_nothing_is_cut_when_enlarged(
    mock: str, visit: Visit, watch: Watch, size: dict[str, int], locale: str
) -> None:
    watch.expected = NOT_PRETENDED
    cut: dict[str, list[str]] = {}
    for name, go in SCREENS.items():
        if name in {"home", "thread"} and locale != "en-US":
            continue
        page = visit(mock, viewport=size, device_scale_factor=2, locale=locale)
        go(page)
        cut[name] = page.evaluate(CUT)
        page.context.close()
    assert {name: found for name, found in cut.items() if found} == {}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_cards_are_not_cut_when_enlarged(gallery: str, visit: Visit, theme: str) -> None:
    for locale in ("en", "zh-Hant"):
        page = visit(f"{gallery}?theme={theme}&locale={locale}", viewport=ENLARGED[0], device_scale_factor=2)
        expect(page.locator("[data-state=o1]")).to_be_attached()
        assert page.evaluate(CUT) == []


@pytest.mark.parametrize("screen", list(SCREENS))
def test_tab_comes_by_everything_and_shows_where_it_is(
    mock: str, visit: Visit, watch: Watch, screen: str
) -> None:
    watch.expected = NOT_PRETENDED
    page = visit(mock)
    SCREENS[screen](page)
    page.evaluate("document.activeElement?.blur?.()")
    wanted: int = page.evaluate(STOPS)
    stops: dict[int, dict[str, Any]] = {}
    # Some more than there are: lists are asked for anew meanwhile.
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is not None:
            stops[stop["key"]] = stop
    assert [stop["name"] for stop in stops.values() if not stop["shown"]] == []
    assert len(stops) >= wanted


def test_little_motion_is_wanted_and_nothing_moves(mock: str, visit: Visit) -> None:
    page = visit(mock, reduced_motion="reduce")
    new_thread(page)
    card = command(page, ENDLESS)
    expect(standing(card, "running")).to_be_visible()
    assert page.evaluate(MOVING) == []
    page.get_by_role("button", name="Thread menu").click()
    expect(page.get_by_role("menu")).to_be_visible()
    assert page.evaluate(MOVING) == []


@pytest.mark.parametrize("phone", [False, True])
def test_nothing_jumps_while_cards_stream_in(mock: str, visit: Visit, phone: bool) -> None:
    page = visit(mock, phone=phone)
    new_thread(page)
    # What is left of the first steps comes with the first message, and stays.
    say(page, "hello")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    page.evaluate(SHIFTS)
    for n in range(3):
        text = f"question {n}\n$ for i in $(seq 1 40); do echo line $i; sleep 0.01; done\n$ pytest -q {n}"
        page.evaluate(POST, [f"shift-{n}", text])
        expect(standing(terminal(page, f"pytest -q {n}"), "failed")).to_be_visible()
    page.evaluate(POST, ["shift-9", "$ plot\n$ table"])
    expect(cards(page, "artifact").last).to_be_visible()
    expect(page.get_by_role("button", name="Stop run")).to_have_count(0)
    shifts: list[dict[str, Any]] = page.evaluate("shifts")
    assert [one["moved"] for one in shifts if one["moved"]] == []
    ended = 8
    assert sum(one["value"] for one in shifts) / ended <= SHIFT_A_COMMAND
