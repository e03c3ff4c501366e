# SPDX-License-Identifier: Apache-2.0

"""Redis with an append-only file, to which writers append by XADD over RESP."""

import json
import os
import subprocess

from product import Channel, Product, body, connect_unix
from writers import NotReady, Refused

#: How many entries one XRANGE reads back.
PAGE = 1000


def command(*words):
    """A command as RESP."""
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Redis(Product):
    """A Redis with one of its policies for fsync; each writer has a stream, and its numbers are the ids of the entries."""

    title = "Redis"
    package = "redis-server"
    names = "ids of entries, in a stream for each writer"
    policy = "always"

    def command(self):
        return [
            "redis-server", "--port", "0", "--unixsocket", os.path.join(self.folder, "redis.sock"), "--dir", self.files,
            "--appendonly", "yes", "--appendfsync", self.policy, "--save", "",
        ]  # fmt: skip

    def version(self):
        words = subprocess.run(["redis-server", "--version"], check=True, capture_output=True, text=True).stdout.split()
        return next(word[2:] for word in words if word.startswith("v="))

    def channel(self, writer):
        connection = connect_unix(os.path.join(self.folder, "redis.sock"))
        # While it reads its file it takes connections, and refuses commands.
        connection.sendall(command("PING"))
        if not (answer := connection.recv(100)).startswith(b"+PONG"):
            connection.close()
            raise NotReady(f"Redis answered {answer.decode(errors='replace').strip()}")
        return RedisChannel(connection, writer, self.stream(writer), self.entry)

    @staticmethod
    def stream(writer):
        """The key to which a writer appends."""
        return f"writer:{writer}"

    @staticmethod
    def entry(number):
        """The id of the entry for an action."""
        return f"{number}-0"

    def streams(self):
        """The keys to read back."""
        return [self.stream(writer) for writer in range(16)]

    def stored(self):
        found = []
        with connect_unix(os.path.join(self.folder, "redis.sock")) as connection, connection.makefile("rb") as answers:
            for stream in self.streams():
                begin = "-"
                while True:
                    connection.sendall(command("XRANGE", stream, begin, "+", "COUNT", PAGE))
                    entries = read(answers)
                    for _, fields in entries:
                        action = json.loads(fields[1])
                        found.append((action["writer"], action["number"]))
                    if len(entries) < PAGE:
                        break
                    begin = "(" + entries[-1][0].decode()
        return found


class AlwaysRedis(Redis):
    """Redis as safe as it gets."""

    setting = "`appendfsync always`"
    promise = "the command is in the append-only file, and the file is synced"


class EverySecondRedis(Redis):
    """The default of Redis with an append-only file."""

    policy = "everysec"
    setting = "`appendfsync everysec`"
    promise = "the command is done; the file is synced within a second"


class NamelessRedis(Redis):
    """The usual way to append, one stream whose ids Redis makes: nothing tells it that an action comes again."""

    title = "Redis, `XADD *`"
    setting = "`appendfsync always`"
    promise = AlwaysRedis.promise
    names = ""

    @staticmethod
    def stream(writer):
        return "all"

    @staticmethod
    def entry(number):
        return "*"

    def streams(self):
        return ["all"]


class RedisChannel(Channel):
    """XADD for each action; Redis answers in their order."""

    def __init__(self, connection, writer, stream, entry):
        super().__init__(connection, writer)
        self.stream = stream
        self.entry = entry
        self.numbers = []

    def send(self, numbers):
        self.numbers += numbers
        self.socket.sendall(
            b"".join(
                command("XADD", self.stream, self.entry(number), "action", body(self.writer, number)) for number in numbers
            )
        )

    def acknowledgements(self, data):
        count = 0
        for line in self.lines(data):
            if line.startswith(b"$"):
                # The id follows on a line of its own.
                continue
            if line.startswith(b"-") and b"equal or smaller than the target stream top item" not in line:
                raise Refused(f"Redis answered {line.decode()}")
            count += 1
        done, self.numbers = self.numbers[:count], self.numbers[count:]
        return done


def read(answers):
    """The next answer of RESP; strings are bytes. Raises Refused for an error."""
    line = answers.readline()
    kind, rest = line[:1], line[1:].strip()
    if kind == b"*":
        return [read(answers) for _ in range(int(rest))]
    if kind == b"$":
        return answers.read(int(rest) + 2)[:-2]
    if kind in (b"+", b":"):
        return rest
    raise Refused(f"Redis answered {line.decode(errors='replace').strip()}")
