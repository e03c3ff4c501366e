# SPDX-License-Identifier: Apache-2.0

"""NATS with a JetStream stream in files, to which writers publish over the text protocol of NATS."""

import base64
import json
import os
import socket
import subprocess
import uuid

from product import Channel, Product, body
from writers import NotReady, Refused

STREAM = "EVIDENCE"
#: How many requests for stored messages are on their way while all are read back.
PAGE = 500


class JetStream(Product):
    """A single server with its defaults: JetStream's own API says when a message is stored."""

    title = "NATS JetStream"
    setting = "defaults, file storage"
    promise = "the message is in the stream; the file is synced every 2 minutes"
    names = "`Nats-Msg-Id`"
    package = "nats-server"

    def __init__(self, folder, files):
        super().__init__(folder, files)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def command(self):
        return ["nats-server", "--config", os.path.join(self.folder, "nats.conf")]

    def version(self):
        text = subprocess.run(["nats-server", "--version"], check=True, capture_output=True, text=True).stdout
        return text.split()[-1].lstrip("v")

    def prepare(self):
        with open(os.path.join(self.folder, "nats.conf"), "w", encoding="utf-8") as file:
            file.write(f'listen: "127.0.0.1:{self.port}"\njetstream {{ store_dir: "{os.path.join(self.files, "nats")}" }}\n')

    def create(self):
        stream = {
            "name": STREAM, "subjects": ["evidence.*"], "storage": "file", "retention": "limits", "num_replicas": 1,
            "duplicate_window": 3600 * 10**9,
        }  # fmt: skip
        self._asking(f"STREAM.CREATE.{STREAM}", stream)

    def channel(self, writer):
        connection = self._connection()
        try:
            # Until the stream is recovered nobody takes its messages, and what is published meanwhile gets an error.
            information = request(connection, f"STREAM.INFO.{STREAM}", b"")
            if "error" in information:
                raise NotReady(f"NATS answered {information['error']}")
        except (OSError, NotReady):
            connection.close()
            raise
        connection.sendall(b"SUB acknowledged.%d.* 2\r\n" % writer)
        return JetStreamChannel(connection, writer)

    def stored(self):
        connection = self._connection()
        with connection:
            state = request(connection, f"STREAM.INFO.{STREAM}", b"")["state"]
            connection.sendall(b"SUB read.* 3\r\n")
            found, buffer, sequences = {}, b"", range(state["first_seq"], state["last_seq"] + 1)
            for begin in range(0, len(sequences) if state["messages"] else 0, PAGE):
                page = sequences[begin : begin + PAGE]
                asked = f"$JS.API.STREAM.MSG.GET.{STREAM}"
                connection.sendall(b"".join(publication(asked, f"read.{number}", b'{"seq":%d}' % number) for number in page))
                missing = len(page)
                while missing:
                    data = connection.recv(1 << 16)
                    if not data:
                        raise NotReady("NATS closed the connection while it was read")
                    messages, buffer = split(buffer + data)
                    for subject, _, content in messages:
                        missing -= 1
                        answer = json.loads(content)
                        if "message" not in answer:
                            # A hole in the sequence: this message was there and is not any more.
                            continue
                        action = json.loads(base64.b64decode(answer["message"]["data"]))
                        found[int(subject.split(".")[1])] = (action["writer"], action["number"])
        return [found[number] for number in sorted(found)]

    def _connection(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(
            b'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"lang":"python","version":"1"}\r\n'
        )
        return connection

    def _asking(self, subject, content):
        with self._connection() as connection:
            answer = request(connection, subject, json.dumps(content).encode())
        if "error" in answer:
            raise Refused(f"NATS answered {answer['error']}")


class JetStreamChannel(Channel):
    """Messages with an inbox for each, whose last part is the number that its answer acknowledges."""

    def send(self, numbers):
        messages = []
        for number in numbers:
            header = b"NATS/1.0\r\nNats-Msg-Id: %d.%d\r\n\r\n" % (self.writer, number)
            content = body(self.writer, number)
            messages.append(
                b"HPUB evidence.%d acknowledged.%d.%d %d %d\r\n%s%s\r\n"
                % (self.writer, self.writer, number, len(header), len(header) + len(content), header, content)
            )
        self.socket.sendall(b"".join(messages))

    def acknowledgements(self, data):
        messages, self.rest = split(self.rest + data)
        numbers = []
        for subject, header, content in messages:
            if header or "error" in (answer := json.loads(content)) or answer.get("stream") != STREAM:
                raise Refused(f"NATS answered {(header + content).decode(errors='replace').strip()}")
            numbers.append(int(subject.rsplit(".", 1)[1]))
        return numbers



def split(data):
    """The whole messages in received bytes, as subject, header and content, and the rest; other lines are skipped.

    Raises Refused for an error of the protocol.
    """
    messages = []
    place = 0
    while (end := data.find(b"\r\n", place)) >= 0:
        line = data[place:end]
        if line.startswith(b"-ERR"):
            raise Refused(f"NATS answered {line.decode(errors='replace')}")
        words = line.split()
        if words and words[0] in (b"MSG", b"HMSG"):
            size = int(words[-1])
            header = int(words[-2]) if words[0] == b"HMSG" else 0
            content = end + 2
            if len(data) < content + size + 2:
                break
            messages.append((words[1].decode(), data[content : content + header], data[content + header : content + size]))
            end = content + size
        place = end + 2
    return messages, data[place:]


def publication(subject, inbox, content):
    """A message that asks for an answer at an inbox."""
    return b"PUB %s %s %d\r\n%s\r\n" % (subject.encode(), inbox.encode(), len(content), content)


def request(connection, subject, content):
    """The answer of JetStream's API; an empty one where nobody answers yet raises NotReady."""
    inbox = f"asked.{uuid.uuid4().hex}"
    connection.sendall(b"SUB %s 1\r\nUNSUB 1 1\r\n" % inbox.encode() + publication(f"$JS.API.{subject}", inbox, content))
    buffer = b""
    while True:
        data = connection.recv(1 << 16)
        if not data:
            raise NotReady("NATS closed the connection")
        messages, buffer = split(buffer + data)
        for _, header, answer in messages:
            if header:
                raise NotReady(f"NATS answered {header.decode(errors='replace').strip()}")
            return json.loads(answer)
