# SPDX-License-Identifier: Apache-2.0

"""Writers that never stop until they are told to, and send again whatever was not acknowledged."""

import http.client
import json
import os
import socket
import sys
import threading
import time
from collections import deque

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Evidence"))

from product import connect_unix


class Load(threading.Thread):
    """A writer on its own thread. Its actions carry the numbers from 1 on; `acknowledged` counts them.

    A counter that adds up the numbers has numbers(acknowledged) at the end, if each was reduced once.
    """

    def __init__(self, writer, pace, failures):
        super().__init__(daemon=True)
        self.writer = writer
        self.pace = pace
        self.acknowledged = 0
        self.ending = threading.Event()
        self.failures = failures

    def run(self):
        try:
            self.work()
        except Exception as error:  # A thread that ends silently would look like a writer that is done.
            self.failures.append(f"writer {self.writer}: {error!r}")

    def work(self):
        """Writes until `ending` is set and everything is acknowledged."""
        raise NotImplementedError

    def line(self, number):
        """The line for an action."""
        return b'{"type":"w%d/increment","payload":{"by":%d},"meta":{"id":"%d.%d"}}\n' % (
            self.writer, number, self.writer, number,
        )  # fmt: skip


class SocketLoad(Load):
    """Lines at the socket, up to `depth` without an acknowledgement, whose times it takes where the depth is 1."""

    def __init__(self, writer, pace, failures, path, depth=256):
        super().__init__(writer, pace, failures)
        self.path = path
        self.depth = depth
        #: The seconds that single acknowledgements took since the last sample.
        self.times = deque()

    def work(self):
        waiting, following = deque(), 1
        while not self.ending.is_set() or waiting:
            try:
                connection = connect_unix(self.path)
            except OSError:
                time.sleep(0.02)
                continue
            with connection:
                following = self.write(connection, waiting, following)

    def write(self, connection, waiting, following):
        """Writes on one connection until that ends, or all is done; the next number."""
        counted, rest = 0, b""
        begin, first = time.monotonic(), following
        sent = time.monotonic()
        again = b"".join(self.line(number) for number in waiting)
        try:
            if again:
                connection.sendall(again)
            while True:
                now = time.monotonic()
                if not self.ending.is_set():
                    due = first + int((now - begin) * self.pace)
                    new = range(following, min(due, following + self.depth - len(waiting)))
                    if new:
                        sent = now
                        waiting.extend(new)
                        following = new[-1] + 1
                        connection.sendall(b"".join(self.line(number) for number in new))
                    elif now - begin > 1 and due - following > self.depth:
                        # What was held back is not made up for: the pace is a pace, not a debt.
                        begin, first = now, following
                elif not waiting:
                    return following
                connection.settimeout(0.02 if waiting else 0.005)
                try:
                    data = connection.recv(1 << 16)
                except TimeoutError:
                    continue
                if not data:
                    return following
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    answer = json.loads(line)
                    if set(answer) != {"ok"}:
                        raise ValueError(f"the host answered {line.decode()}")
                    for _ in range(answer["ok"] - counted):
                        waiting.popleft()
                        self.acknowledged += 1
                    counted = answer["ok"]
                    if self.depth == 1:
                        self.times.append(time.monotonic() - sent)
        except OSError:
            return following


class OrderLoad(SocketLoad):
    """Actions that each lead to a request at the service."""

    def line(self, number):
        return b'{"type":"order/placed","payload":{"id":%d},"meta":{"id":"order.%d"}}\n' % (number, number)


class HTTPLoad(Load):
    """Requests of ten lines each; a request without an answer is sent again as it was."""

    LINES = 10

    def __init__(self, writer, pace, failures, port):
        super().__init__(writer, pace, failures)
        self.port = port

    def work(self):
        connection, following = None, 1
        while not self.ending.is_set():
            numbers = range(following, following + self.LINES)
            body = b"".join(self.line(number) for number in numbers)
            while True:
                try:
                    connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                    connection.request("POST", "/actions", body, {"Authorization": "Bearer token"})
                    response = connection.getresponse()
                    text = response.read()
                except (OSError, http.client.HTTPException, socket.timeout):
                    if connection:
                        connection.close()
                    connection = None
                    time.sleep(0.05)
                    continue
                if response.status == 503:
                    time.sleep(0.1)
                    continue
                break
            if response.status != 200:
                raise ValueError(f"the host answered {response.status} {text.decode(errors='replace')}")
            answer = json.loads(text)
            if answer.get("accepted", 0) + answer.get("duplicates", 0) != len(numbers):
                raise ValueError(f"the host answered {text.decode(errors='replace')}")
            self.acknowledged += len(numbers)
            following = numbers[-1] + 1
            time.sleep(self.LINES / self.pace)


def numbers(count):
    """The sum of the numbers from 1 to a count."""
    return count * (count + 1) // 2
