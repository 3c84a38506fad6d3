"""How soon a figure is ready and answers, in a browser.

Each page is opened plain and as on a modest phone (the processor four times slower, 1.6 Mbit/s,
150 ms). A turn is one arrow key on a slider, timed from the key event to the end of the frame
that shows what it leads to; a screen of 60 frames a second alone adds up to 17 ms to it, so for
figures that compute their own work is told, too: handling the key, and the frame from its start.
"""

import statistics
from typing import Any

from benchmarks.local_site import page_names, serving
from tools.chromium import FLAGS, find_chromium

TURNS = 60
FIGURES = "live-figure"
SLIDER = ".live > .live-controls input[type=range]"
READY = """() => document.querySelector("live-figure")
  ? performance.getEntriesByName(`${document.querySelector("live-figure").id} ready`)[0].startTime
  : null"""

# Time every turn, a picture's decoding included: in all, and the work alone.
WATCH = """() => {
  window.turns = [];
  if (window.watched) return;
  window.watched = true;
  document.addEventListener("keydown", e => { window.pressed = e.timeStamp; }, true);
  document.addEventListener("input", () => {
    window.began = performance.now();
    requestAnimationFrame(() => { window.frame = performance.now(); });
  }, true);
  document.addEventListener("input", () => {
    const start = window.pressed, handled = performance.now() - window.began;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const end = performance.now();
        window.turns.push([end - start, handled + end - window.frame]);
      };
      channel.port2.postMessage(0);
    });
  });
}"""


def _turned(page: Any, figure: Any) -> list[list[float]]:
    """Press arrow keys on a figure's first slider, to and fro; return each turn's times in ms."""
    slider = figure.locator(SLIDER).first
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(2500)  # what a figure fetches or draws once it is touched is there
    page.evaluate(WATCH)
    for turn in range(TURNS):
        page.keyboard.press("ArrowLeft" if turn % 2 else "ArrowRight")
        page.wait_for_timeout(60)
    page.wait_for_function("n => window.turns.length >= n", arg=TURNS - 1)
    return page.evaluate("window.turns")


def _measured(browser: Any, address: str, phone: bool) -> tuple[float | None, list[list[float]]]:
    """Return when the page's first live figure was ready, and the turns of all figures."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    session = context.new_cdp_session(page)
    if phone:
        speed = {"downloadThroughput": 2e5, "uploadThroughput": 2e5}  # bytes a second
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        session.send("Network.enable")
        network = {"offline": False, "latency": 150, **speed}
        session.send("Network.emulateNetworkConditions", network)
    page.goto(address, wait_until="networkidle")
    figures = [f for f in page.locator(FIGURES).all() if f.get_attribute("id")]
    live = page.locator("live-figure").count()
    turns: list[list[float]] = []
    for figure in figures if live else figures[:1]:
        figure.scroll_into_view_if_needed()
        figure.locator(".live-controls").first.wait_for()
        if figure.locator(SLIDER).count():  # one has menus only
            turns += _turned(page, figure)
    ready = page.evaluate(READY)
    context.close()
    return ready, turns


def _worst(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def main() -> int:
    """Print one line a page and profile."""
    from playwright.sync_api import sync_playwright

    print(
        f"ms, 95th percentiles of {TURNS} turns a figure, plain and as on a phone: to the end of"
    )
    print("the frame, the work alone; and when the page's first live figure was ready")
    with sync_playwright() as playwright, serving() as base:
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name in page_names():
            for phone in (False, True):
                ready, turns = _measured(browser, base + name, phone)
                if turns:
                    frame, work = (_worst(list(times)) for times in zip(*turns, strict=True))
                    first = f"{ready:7.0f}" if ready is not None else ""
                    kind = "phone" if phone else "plain"
                    print(f"{name:36} {kind} {frame:6.1f} {work:6.1f} {first}", flush=True)
        browser.close()
    return 0
