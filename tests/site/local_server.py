"""A quiet static server on this machine, with the site in a sub-folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

FOLDER = "/some/sub/folder/"


class _SubFolder(SimpleHTTPRequestHandler):
    """Serves the directory below FOLDER only, so that an absolute address fails."""

    def translate_path(self, path: str) -> str:
        if not path.startswith(FOLDER):
            return str(Path(self.directory) / "there-is-nothing-outside-the-sub-folder")
        return super().translate_path(path.removeprefix(FOLDER[:-1]))

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Halting(_SubFolder):
    """Sends pages up to a mark, and the rest when it may go on."""

    mark: bytes
    go_on: Event

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix != ".html":
            return super().do_GET()
        before, mark, after = path.read_bytes().partition(self.mark)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(before + mark)
        self.wfile.flush()
        self.go_on.wait(20)
        self.wfile.write(after)
        return None


@contextmanager
def serving_half(site: Path, mark: str) -> Iterator[tuple[str, Event]]:
    """Serve `site`, pages up to a mark; give the root's address and the event that goes on."""
    go_on = Event()
    handler = type("Halting", (_Halting,), {"mark": mark.encode(), "go_on": go_on})
    with serving(site, handler) as base:
        yield base, go_on
        go_on.set()


@contextmanager
def serving(site: Path, kind: type[_SubFolder] = _SubFolder) -> Iterator[str]:
    """Serve `site` and give the address of its root, with a slash at the end."""
    handler = partial(kind, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{FOLDER}"
        server.shutdown()
