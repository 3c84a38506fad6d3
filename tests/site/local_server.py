"""A quiet static server on this machine, with the site in a sub-folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

FOLDER = "/some/sub/folder/"


class _SubFolder(SimpleHTTPRequestHandler):
    """Serves the directory below FOLDER only, so that an absolute address fails."""

    def translate_path(self, path: str) -> str:
        if not path.startswith(FOLDER):
            return str(Path(self.directory) / "there-is-nothing-outside-the-sub-folder")
        return super().translate_path(path.removeprefix(FOLDER[:-1]))

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve `site` and give the address of its root, with a slash at the end."""
    handler = partial(_SubFolder, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{FOLDER}"
        server.shutdown()
