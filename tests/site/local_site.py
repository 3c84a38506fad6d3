"""A site in a sub-folder of a server on this machine, compressed as web servers do it."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
FOLDER = "/some/sub/folder/"
PACKED = (".html", ".js", ".css", ".svg", ".json", ".txt")


@cache
def _packed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), 6)


class _Server(SimpleHTTPRequestHandler):
    """Serves the site below FOLDER only, so that an absolute address fails."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix not in PACKED or not path.is_file():
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(_packed(path))))
        self.end_headers()
        self.wfile.write(_packed(path))
        return None

    def translate_path(self, path: str) -> str:
        if not path.startswith(FOLDER):
            return str(Path(self.directory) / "there-is-nothing-outside-the-sub-folder")
        return super().translate_path(path.removeprefix(FOLDER[:-1]))

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(site: Path = SITE) -> Iterator[str]:
    """Serve a site and give the address of its root, with a slash at the end."""
    handler = partial(_Server, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{FOLDER}"
        server.shutdown()
