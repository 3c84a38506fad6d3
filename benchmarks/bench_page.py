"""The pages in a browser: bytes, requests, and how soon a figure that moves answers.

Each page is opened twice in a fresh context: plain, and as on a modest phone (the processor four
times slower, 1.6 Mbit/s, 150 ms). A turn is one arrow key on a slider. It is timed from the key
event to the moment when the new picture is in the page, and to the end of the frame that shows
it, decoding included; a screen of 60 frames a second alone adds up to 17 ms to the second.
"""

import statistics
from typing import Any

from benchmarks.local_site import page_names, serving
from tools.chromium import FLAGS, find_chromium

TURNS = 60
VISITS = 7  # the first answer is timed in each, and the median is given
PLAIN = None
PHONE = {"cpu": 4, "bytes_per_second": 1.6e6 / 8, "latency_ms": 150}

# Turn the first slider as soon as a frame shows it; note when its picture (or bar) has changed.
ANSWERS = """() => {
  const shown = e => e.matches("moving-figure") ? e.querySelector("img").getAttribute("src")
    : e.querySelector(".playground-weight").textContent;
  const find = () => {
    const slider = document.querySelector(
      "moving-figure .moving-controls:not([hidden]) input[type=range], #playground-key-1");
    if (!slider) return requestAnimationFrame(find);
    const figure = slider.closest("moving-figure, softmax-playground"), before = shown(figure);
    slider.value = slider.value === slider.max ? slider.min : slider.max;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const wait = () => shown(figure) === before ? requestAnimationFrame(wait)
      : (window.answered = performance.now());
    wait();
  };
  requestAnimationFrame(find);
}"""

# Time every turn: to the decoded picture, and to the end of the frame that shows it.
WATCH = """() => {
  window.turns = [];
  document.addEventListener("keydown", e => { window.pressed = e.timeStamp; }, true);
  document.addEventListener("input", async e => {
    const start = window.pressed, figure = e.target.closest("moving-figure, softmax-playground");
    const image = figure.matches("moving-figure") ? figure.querySelector("img") : null;
    if (image && !image.complete) await new Promise(done => { image.onload = done; });
    const picture = performance.now() - start;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.turns.push([picture, performance.now() - start]);
      channel.port2.postMessage(0);
    });
  });
}"""


def _throttle(session: Any, profile: dict[str, float] | None) -> None:
    if profile:
        session.send("Emulation.setCPUThrottlingRate", {"rate": profile["cpu"]})
        session.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": profile["latency_ms"],
                "downloadThroughput": profile["bytes_per_second"],
                "uploadThroughput": profile["bytes_per_second"],
            },
        )


def _turned(page: Any) -> list[list[float]]:
    """Press arrow keys on the page's first slider and return the times of each turn in ms."""
    slider = page.locator("moving-figure input[type=range], #playground-key-1").first
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(2500)  # what a figure fetches once it is touched is there
    page.evaluate(WATCH)
    last = int(float(slider.get_attribute("max")) - float(slider.get_attribute("min")))
    step, forward = 0, True
    for _ in range(TURNS):
        page.keyboard.press("ArrowRight" if forward else "ArrowLeft")
        step += 1 if forward else -1
        forward = step < last if forward else step == 0
        page.wait_for_timeout(60)
    page.wait_for_function("n => window.turns.length >= n", arg=TURNS - 1)
    return page.evaluate("window.turns")


def _answered(page: Any, session: Any, address: str) -> float:
    """Open the page with an empty cache; return when its first figure has answered, in ms."""
    session.send("Network.clearBrowserCache")
    page.goto(address)
    page.wait_for_function("window.answered")
    return page.evaluate("window.answered")


def _measured(browser: Any, address: str, profile: dict[str, float] | None) -> dict[str, float]:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    session = context.new_cdp_session(page)
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    session.send("Network.enable")
    _throttle(session, profile)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    found = {"kB": sum(sizes) / 1000, "requests": len(sizes)}
    if page.locator("moving-figure, softmax-playground").count():
        page.add_init_script(f"({ANSWERS})()")
        found["answers_ms"] = statistics.median(
            _answered(page, session, address) for _ in range(VISITS)
        )
        times = list(zip(*_turned(page), strict=True))
        for name, values in zip(("picture_ms", "frame_ms"), times, strict=True):
            found[name] = statistics.quantiles(values, n=20)[-1]
    context.close()
    return found


def main() -> int:
    """Print one line a page and profile."""
    from playwright.sync_api import sync_playwright

    print(
        f"answers: median of {VISITS} visits; picture and frame: 95th percentile of {TURNS} turns"
    )
    with sync_playwright() as playwright, serving() as base:
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name in page_names():
            for label, profile in (("plain", PLAIN), ("phone", PHONE)):
                found = _measured(browser, base + name, profile)
                line = f"{name:36} {label} {found['kB']:6.0f} kB {found['requests']:3d} requests"
                if "answers_ms" in found:
                    line += (
                        f" | answers after {found['answers_ms']:6.0f} ms"
                        f" | picture {found['picture_ms']:5.1f} | frame {found['frame_ms']:5.1f}"
                    )
                print(line, flush=True)
        browser.close()
    return 0
