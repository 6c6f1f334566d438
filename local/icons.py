"""Draws the page's icons in pixels from `web/public/icon.svg`, in Chromium: `python -m local.icons`.

Run it after the drawing has changed. A maskable icon fills its square and keeps the drawing inside the
middle four fifths, of which a launcher cuts any shape; iOS rounds corners itself and wants a full square.
"""

import re
from dataclasses import dataclass

from playwright.sync_api import sync_playwright

from local.bundle import ROOT

PUBLIC = ROOT / "web/public"
CHROMIUM = "/usr/bin/chromium"


@dataclass(frozen=True)
class Icon:
    name: str
    size: int
    full: bool
    """Whether it fills its square, for what cuts a shape of its own."""


ICONS = (
    Icon("192", 192, full=False),
    Icon("512", 512, full=False),
    Icon("maskable-192", 192, full=True),
    Icon("maskable-512", 512, full=True),
    Icon("apple-touch", 180, full=True),
)


def drawing(icon: Icon) -> str:
    svg = (PUBLIC / "icon.svg").read_text()
    if not icon.full:
        return svg
    # No rounded corners, and room around what is drawn upon the ground.
    ground, *strokes = re.findall(r"<(?:rect|path)[^>]*/>", svg)
    square = re.sub(r' rx="\d+"', "", ground)
    inner = "".join(strokes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">{square}'
        f'<g transform="translate(3.2 3.2) scale(0.8)">{inner}</g></svg>'
    )


def main() -> None:
    folder = PUBLIC / "icons"
    folder.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for icon in ICONS:
            page = browser.new_page(viewport={"width": icon.size, "height": icon.size})
            page.set_content(f"<style>html,body{{margin:0}}svg{{display:block}}</style>{drawing(icon)}")
            page.screenshot(path=folder / f"{icon.name}.png", omit_background=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
