# SPDX-License-Identifier: Apache-2.0

"""A product in this process that does to a run what it is told to."""

import json
import socket
import threading

from product import Channel, Product, body
from storage import Storage


class Nowhere(Storage):
    """A folder that no faulty product needs."""

    def __init__(self):
        self.files = ""


class FaultyProduct(Product):
    """Stores lines in memory and answers each, until it is killed; `at_kill` changes what it has stored.

    It stores an action that comes again only where it does not remember. One thread for each connection ends with the kill.
    """

    title = "Faulty"

    def __init__(self, at_kill=lambda stored: None, remembers=True):
        super().__init__("", "")
        self.at_kill = at_kill
        self.remembers = remembers
        self.log = []
        self.connections = []
        self.threads = []

    def start(self):
        self.process = self

    def kill(self):
        for connection in self.connections:
            connection.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
        for connection in self.connections:
            connection.close()
        self.connections, self.threads = [], []
        self.at_kill(self.log)
        self.process = None

    def channel(self, writer):
        ours, theirs = socket.socketpair()
        self.connections.append(theirs)
        thread = threading.Thread(target=self._serve, args=(theirs,))
        self.threads.append(thread)
        thread.start()
        return FaultyChannel(ours, writer)

    def stored(self):
        return list(self.log)

    def _serve(self, connection):
        with connection.makefile("rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):
                    return
                action = json.loads(line)
                action = (action["writer"], action["number"])
                if not self.remembers or action not in self.log:
                    self.log.append(action)
                try:
                    connection.sendall(b"%d\n" % action[1])
                except OSError:
                    return


class FaultyChannel(Channel):
    """A line for each action, answered by its number."""

    def send(self, numbers):
        self.socket.sendall(b"".join(body(self.writer, number) + b"\n" for number in numbers))

    def acknowledgements(self, data):
        return [int(line) for line in self.lines(data)]
