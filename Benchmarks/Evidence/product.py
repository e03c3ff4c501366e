# SPDX-License-Identifier: Apache-2.0

"""What the products have in common: a process with files in a folder, and connections that send numbered actions."""

import os
import signal
import socket
import subprocess

#: What each action says beyond its numbers, so that it is about as long as an action of a service.
TEXT = "x" * 100


def body(writer, number):
    """The bytes of an action, the same for each product."""
    return b'{"by":1,"writer":%d,"number":%d,"text":"%s"}' % (writer, number, TEXT.encode())


class Product:
    """A server to be killed. A subclass says how it starts, what it is told, and how all that it has is read back.

    `files` is the folder of what must survive, `folder` one for sockets, settings and logs with a short path.
    """

    #: The row of the table, the setting that it is about, and what an acknowledgement means in the product's own words.
    title = setting = promise = ""
    #: How a writer names an action, so that the product drops it when it comes again; empty where it cannot.
    names = ""
    #: The Debian package that has it, for the message when it is missing; empty for Gatehouse.
    package = ""

    def __init__(self, folder, files):
        self.folder = folder
        self.files = files
        self.process = None

    def command(self):
        """The words of the command that starts it."""
        raise NotImplementedError

    def version(self):
        """Its version, as it prints it."""
        raise NotImplementedError

    def channel(self, writer):
        """A connection of a writer that is ready to send. Raises OSError or NotReady while the server starts."""
        raise NotImplementedError

    def prepare(self):
        """Makes what must be there before the first start."""

    def create(self):
        """Makes what must be there after the first start."""

    def stored(self):
        """Everything that it has, as pairs of writer and number in its order. The server runs, and nobody writes."""
        raise NotImplementedError

    def start(self):
        """Starts the process, and returns before it serves."""
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                self.command(), cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def environment(self):
        """The variables of its process."""
        return dict(os.environ)

    def kill(self):
        """Ends the process by SIGKILL, and waits until it is gone."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def log_end(self):
        """The last lines that it wrote, for a failure."""
        with open(os.path.join(self.folder, "log"), "rb") as log:
            return log.read()[-2000:].decode(errors="replace")


class Channel:
    """A connection of one writer. `lines` yields whole lines from what was received."""

    def __init__(self, connection, writer):
        self.socket = connection
        self.writer = writer
        self.rest = b""

    def send(self, numbers):
        """Sends the writer's actions of these numbers in one write."""
        raise NotImplementedError

    def acknowledgements(self, data):
        """The numbers that these received bytes acknowledge. Raises Refused for an answer that is none."""
        raise NotImplementedError

    def lines(self, data):
        """The whole lines in what was received so far, without their ends."""
        *whole, self.rest = (self.rest + data).split(b"\n")
        return [line.rstrip(b"\r") for line in whole]

    def close(self):
        """Closes the connection."""
        self.socket.close()


def connect_unix(path):
    """A connection to the Unix socket at a path."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        raise
    connection.settimeout(60)
    return connection
