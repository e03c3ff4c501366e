# SPDX-License-Identifier: Apache-2.0

"""The service that effects of the host reach, which fails now and then."""

import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Service:
    """Takes orders at a port of its own on threads of its own; `taken` has the keys under which each order was taken."""

    #: The share of requests that are answered 503.
    FAILING = 0.1

    def __init__(self, seed):
        self.taken = {}
        self.requests = 0
        self.lock = threading.Lock()
        chance = random.Random(seed)
        service = self

        class Handler(BaseHTTPRequestHandler):
            """One connection."""

            protocol_version = "HTTP/1.1"

            def do_POST(self):
                """Takes one order."""
                order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with service.lock:
                    service.requests += 1
                    fails = chance.random() < service.FAILING
                    if not fails:
                        service.taken.setdefault(order["id"], set()).add(self.headers["Idempotency-Key"])
                self.send_response(503 if fails else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words):
                """Says nothing about each request."""

        class Server(ThreadingHTTPServer):
            """The server, which has nothing to say about connections that a dying host resets."""

            daemon_threads = True

            def handle_error(self, request, client_address):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def faults(self, orders):
        """What is wrong after so many orders: some that never came, or came under several keys."""
        with self.lock:
            missing = [number for number in range(1, orders + 1) if number not in self.taken]
            several = [number for number, keys in self.taken.items() if len(keys) > 1 or None in keys]
            unknown = [number for number in self.taken if not 1 <= number <= orders]
        return [
            f"{len(actions)} orders {words}: {actions[:5]}"
            for actions, words in (
                (missing, "never reached the service"),
                (several, "reached it under several keys or none"),
                (unknown, "reached it that were never placed"),
            )
            if actions
        ]
