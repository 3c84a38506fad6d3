"""One visit to one page, with everything the browser complained about."""

from dataclasses import dataclass, field
from typing import Any

ICON = "/favicon.svg"
PATIENCE = 60_000  # ms: what a busy machine may take; nothing waits this long when all is well
SETTLED = """async () => {
  await document.fonts.ready;
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


@dataclass
class Visit:
    """A page in a context of its own."""

    page: Any  #: playwright.sync_api.Page
    base: str  #: the address of the site's root
    scripted: bool = True  #: whether the page runs JavaScript
    requests: list[str] = field(default_factory=list)  #: the address of every request so far
    #: Console errors and warnings, script errors, failed requests, foreign hosts.
    troubles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.troubles.append(f"script error: {error}"))
        self.page.on("request", self._request)
        self.page.on("requestfailed", self._failed)
        self.page.on("response", self._response)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning", "assert"):
            self.troubles.append(f"console {message.type}: {message.text}")

    def _request(self, request: Any) -> None:
        self.requests.append(request.url)
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.troubles.append(f"request outside the site: {request.url}")

    def _failed(self, request: Any) -> None:
        late = request.resource_type == "image" or request.url.endswith(ICON)
        if request.failure == "net::ERR_ABORTED" and late:
            return  # the browser fetches it in its own time, and may have left the page by then
        self.troubles.append(f"failed request: {request.url} ({request.failure})")

    def _response(self, response: Any) -> None:
        if response.status >= 400:
            self.troubles.append(f"failed request: {response.url} ({response.status})")

    def go(self, name: str) -> None:
        """Open a page of the site and wait for its fonts and two frames."""
        self.page.goto(self.base + name)
        if self.scripted:  # without scripts no frame would ever report back
            self.page.evaluate(SETTLED)
