# SPDX-License-Identifier: Apache-2.0

"""Gatehouse with a journal, whose socket acknowledges lines, and a counter that reduces each action."""

import json
import os
import shutil
import subprocess
import time

from product import Channel, Product, body, connect_unix
from writers import NotReady, Refused


class Gatehouse(Product):
    """A host with a journal in one of its modes."""

    title = "Gatehouse"
    names = "`meta.id`"
    mode = "strict"
    #: The built program, and the folder of the staged plugins; the command line sets both.
    program = plugins = ""

    def command(self):
        return [self.program, "run", "--print", "none"]

    def environment(self):
        return {
            **super().environment(),
            "CACHE_DIRECTORY": os.path.join(self.folder, "cache"),
            "XDG_RUNTIME_DIR": self.folder,
        }

    def version(self):
        return subprocess.run([self.program, "version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]

    def prepare(self):
        plugins = os.path.join(self.folder, "plugins")
        os.mkdir(plugins, 0o755)
        shutil.copyfile(os.path.join(self.plugins, "libCounterPlugin.so"), os.path.join(plugins, "libCounterPlugin.so"))
        configuration = {
            "name": "evidence",
            "directory": "plugins",
            "journal": {"directory": os.path.join(self.files, "journal"), "mode": self.mode},
            "ingress": {"listen": ["unix:in.sock?ack"]},
            "plugins": [{"id": "counter"}],
        }
        with open(os.path.join(self.folder, "plugins.json"), "w", encoding="utf-8") as file:
            json.dump(configuration, file)

    def channel(self, writer):
        return GatehouseChannel(connect_unix(os.path.join(self.folder, "in.sock")), writer)

    def stored(self):
        # What was accepted and not reduced when the host died is reduced now, and reaches the journal a moment later: the
        # actions are all there when the counter, which hears each of them, has counted as many as the journal has.
        for _ in range(400):
            history = self._tell("history", "--payload", "--json").splitlines()
            counted = int(self._tell("ctl", "state", "/counter/count"))
            if counted == len(history):
                payloads = (json.loads(line)["action"]["payload"] for line in history)
                return [(payload["writer"], payload["number"]) for payload in payloads]
            time.sleep(0.025)
        raise NotReady(f"the counter has counted {counted} actions, and the journal has {len(history)}")

    def _tell(self, *words):
        told = subprocess.run(
            [self.program, *words], cwd=self.folder, env=self.environment(), capture_output=True, text=True, check=False
        )
        if told.returncode != 0:
            raise Refused(f"gatehouse {' '.join(words)}: {told.stderr.strip()}")
        return told.stdout


class StrictGatehouse(Gatehouse):
    """The default: an action is on the disk before it is acknowledged."""

    setting = "`mode`: `strict`"
    promise = "the action is on the disk"


class RelaxedGatehouse(Gatehouse):
    """The setting that gives up 50 ms for speed."""

    mode = "relaxed"
    setting = "`mode`: `relaxed`"
    promise = "the action is on the disk within 50 ms"


class GatehouseChannel(Channel):
    """Lines to the socket; the host counts those of the connection that it has finished with."""

    def __init__(self, connection, writer):
        super().__init__(connection, writer)
        self.numbers = []
        self.counted = 0

    def send(self, numbers):
        self.numbers += numbers
        self.socket.sendall(
            b"".join(
                b'{"type":"counter/increment","payload":%s,"meta":{"id":"%d.%d"}}\n'
                % (body(self.writer, number), self.writer, number)
                for number in numbers
            )
        )

    def acknowledgements(self, data):
        before = self.counted
        for line in self.lines(data):
            answer = json.loads(line)
            if set(answer) != {"ok"}:
                raise Refused(f"Gatehouse answered {line.decode()}")
            self.counted = answer["ok"]
        return self.numbers[before : self.counted]
