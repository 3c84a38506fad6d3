"""How soon a figure is seen and answers, in a browser.

Each page with a figure that computes is opened plain and as on a modest phone (the processor four
times slower, 1.6 Mbit/s, 150 ms). A figure is seen when it is ready and the page has had its first
paint. A turn is one arrow key on a slider: the time from the key event to the end of the frame
that shows what it leads to (a screen of 60 frames a second alone adds up to 17 ms), and the time
that the processor worked for it on the main thread, which a busy machine changes less.
"""

import statistics
from typing import Any

from benchmarks.local_site import SITE, page_names, serving
from tools.chromium import FLAGS, find_chromium

TURNS = 60
SLIDER = ".live > .live-controls input[type=range]"
SEEN = """() => Math.max(...["first-contentful-paint",
  `${document.querySelector("live-figure").id} ready`]
  .map(name => performance.getEntriesByName(name)[0].startTime))"""

# Time every turn to the end of its frame, a picture's decoding included.
WATCH = """() => {
  window.turns = [];
  if (window.watched) return;
  window.watched = true;
  document.addEventListener("keydown", e => { window.pressed = e.timeStamp; }, true);
  document.addEventListener("input", () => {
    const start = window.pressed;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.turns.push(performance.now() - start);
      channel.port2.postMessage(0);
    });
  });
}"""


def _turned(page: Any, session: Any, figure: Any) -> list[tuple[float, float]]:
    """Press arrow keys on a figure's first slider, to and fro; return each turn's times in ms."""

    def worked() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(1000 * m["value"] for m in metrics if m["name"] == "TaskDuration")

    slider = figure.locator(SLIDER).first
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(2500)  # what a figure fetches or draws once it is touched is there
    page.evaluate(WATCH)
    work = []
    for turn in range(TURNS):
        before = worked()
        page.keyboard.press("ArrowLeft" if turn % 2 else "ArrowRight")
        page.wait_for_timeout(60)
        page.wait_for_function("n => window.turns.length > n", arg=turn)
        work.append(worked() - before)
    return list(zip(page.evaluate("window.turns"), work, strict=True))


def _measured(browser: Any, address: str, phone: bool) -> tuple[float, list[tuple[float, float]]]:
    """Return when the page's first live figure was seen, and the turns of all figures."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    if phone:
        speed = {"downloadThroughput": 2e5, "uploadThroughput": 2e5}  # bytes a second
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        session.send("Network.enable")
        network = {"offline": False, "latency": 150, **speed}
        session.send("Network.emulateNetworkConditions", network)
    page.goto(address, wait_until="networkidle")
    turns: list[tuple[float, float]] = []
    for figure in page.locator("live-figure").all():
        figure.scroll_into_view_if_needed()
        figure.locator(".live-controls").first.wait_for()
        if figure.locator(SLIDER).count():  # one has menus only
            turns += _turned(page, session, figure)
    seen = page.evaluate(SEEN)
    context.close()
    return seen, turns


def _worst(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def main() -> int:
    """Print one line a page and profile."""
    from playwright.sync_api import sync_playwright

    print(f"ms, of {TURNS} turns a figure, plain and as on a phone: to the end of the frame, 95th")
    print("percentile; processor time, median and 95th percentile; and when the page's first live")
    print("figure was seen")
    with sync_playwright() as playwright, serving() as base:
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name in page_names():
            if "<live-figure" not in (SITE / name).read_text("utf-8"):
                continue
            for phone in (False, True):
                seen, turns = _measured(browser, base + name, phone)
                times = "no slider".rjust(21)
                if turns:
                    frame, work = (list(one) for one in zip(*turns, strict=True))
                    found = (_worst(frame), statistics.median(work), _worst(work))
                    times = "".join(f"{one:7.1f}" for one in found)
                kind = "phone" if phone else "plain"
                print(f"{name:36} {kind} {times} {seen:7.0f}", flush=True)
        browser.close()
    return 0
