"""An HTTP server: PORT from its arguments or the environment; options delay it, or make it listen elsewhere."""

import argparse
import http.server
import json
import os
import sys
import time
from pathlib import Path

options = argparse.ArgumentParser()
options.add_argument("--port", type=int, default=int(os.environ["PORT"]))
options.add_argument("--delay", type=float, default=0)
options.add_argument("--elsewhere", action="store_true")
options.add_argument("--taken", help="a file: while it does not exist, make it and act as if the port were taken")
chosen = options.parse_args()

if chosen.taken and not Path(chosen.taken).exists():
    Path(chosen.taken).touch()
    sys.exit("OSError: [Errno 98] Address already in use")
time.sleep(chosen.delay)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        seen = {name: self.headers[name] for name in ("x-echo", "x-b")}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": seen}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


sys.stdout.write("this server prints on stdout\n")
sys.stdout.flush()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0 if chosen.elsewhere else chosen.port), Handler)
server.serve_forever()
