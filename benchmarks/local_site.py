"""The built site on this machine, compressed as web servers do it."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

SITE = Path(__file__).resolve().parents[1] / "_build" / "html"


def page_names() -> list[str]:
    found = (*sorted(SITE.glob("book/*.html")), *sorted(SITE.glob("book/api/*.html")))
    return [path.relative_to(SITE).as_posix() for path in found]


class _Compressing(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix not in (".html", ".js", ".css", ".svg", ".json", ".txt"):
            return super().do_GET()
        body = gzip.compress(path.read_bytes() if path.is_file() else b"", 6)
        self.send_response(200 if path.is_file() else 404)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    """Serve the site and give its address."""
    handler = partial(_Compressing, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
