"""How soon a figure that moves answers, in a browser.

Each page is opened plain and as on a modest phone (the processor four times slower, 1.6 Mbit/s,
150 ms). A turn is one arrow key on a slider, timed from the key event to the end of the frame
that shows the new picture; a screen of 60 frames a second alone adds up to 17 ms to it.
"""

import statistics
from typing import Any

from benchmarks.local_site import page_names, serving
from tools.chromium import FLAGS, find_chromium

TURNS = 60
SLIDER = "moving-figure input[type=range], #playground-key-1"

# Time every turn, the picture's decoding included.
WATCH = """() => {
  window.turns = [];
  document.addEventListener("keydown", e => { window.pressed = e.timeStamp; }, true);
  document.addEventListener("input", async e => {
    const start = window.pressed, image = e.target.closest("moving-figure")?.querySelector("img");
    if (image && !image.complete) await new Promise(done => { image.onload = done; });
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.turns.push(performance.now() - start);
      channel.port2.postMessage(0);
    });
  });
}"""


def _turned(page: Any) -> list[float]:
    """Press arrow keys on the page's first slider, to and fro; return each turn's time in ms."""
    slider = page.locator(SLIDER).first
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(2500)  # what a figure fetches once it is touched is there
    page.evaluate(WATCH)
    for turn in range(TURNS):
        page.keyboard.press("ArrowLeft" if turn % 2 else "ArrowRight")
        page.wait_for_timeout(60)
    page.wait_for_function("n => window.turns.length >= n", arg=TURNS - 1)
    return page.evaluate("window.turns")


def _frame(browser: Any, address: str, phone: bool) -> float | None:
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
    turns = _turned(page) if page.locator(SLIDER).count() else []
    context.close()
    return statistics.quantiles(turns, n=20)[-1] if turns else None


def main() -> int:
    """Print one line a page and profile."""
    from playwright.sync_api import sync_playwright

    print(f"ms to the end of the frame: 95th percentile of {TURNS} turns, plain and as on a phone")
    with sync_playwright() as playwright, serving() as base:
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name in page_names():
            frames = [_frame(browser, base + name, phone) for phone in (False, True)]
            if None not in frames:
                print(f"{name:36} {frames[0]:6.1f} {frames[1]:6.1f}", flush=True)
        browser.close()
    return 0
