"""The Chromium of this machine, and a server here for the pages that it shows."""

import shutil
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

# the first has no windows to draw
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
NAMES += ("google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


def find():
    """Its path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a line for each request, many over one connection."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


@contextmanager
def served(folder, handler=Quiet):
    """The address of a folder, http://127.0.0.1:PORT/, while the block runs."""
    handler = partial(handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
