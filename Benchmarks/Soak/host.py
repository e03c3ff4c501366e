# SPDX-License-Identifier: Apache-2.0

"""The supervised host of a soak, and how it is asked and changed."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time

PLUGINS = ("HTTP", "HTTPClient", "Counter")


class Host:
    """A host with a journal in `disk`, and everything else in `folder`.

    Instances `w0` to `w3` count: two from a socket, one from HTTP, and `w3` in a worker; `orders` sends to a service, in
    another worker. `other` only exists to be changed by reloads.
    """

    def __init__(self, program, plugins, folder, disk, service):
        self.program = program
        self.folder = folder
        self.disk = disk
        self.service = service
        self.step = 1
        self.process = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        os.mkdir(os.path.join(folder, "plugins"), 0o755)
        for name in PLUGINS:
            shutil.copyfile(os.path.join(plugins, f"lib{name}Plugin.so"), os.path.join(folder, "plugins", f"lib{name}Plugin.so"))
        descriptor = os.open(os.path.join(folder, "token"), os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(descriptor, b"token")
        os.close(descriptor)
        self.environment = {
            **os.environ, "CACHE_DIRECTORY": os.path.join(folder, "cache"), "XDG_RUNTIME_DIR": folder,
        }  # fmt: skip
        self.configure()

    def configure(self):
        """Writes the configuration, with another step for `other` each time."""
        counter = "libCounterPlugin.so"
        configuration = {
            "name": "soak",
            "directory": "plugins",
            "discovery": "ignore",
            "journal": {
                "directory": os.path.join(self.disk, "journal"), "mode": "strict", "keep": {"megabytes": 24},
                "snapshotEvery": 20_000, "deduplicate": 60,
            },
            "ingress": {"listen": ["unix:in.sock?ack"]},
            "plugins": [
                {
                    "id": "http",
                    "lift": {"dependencies": ["ingress", "control", "clock"]},
                    "settings": {"listen": f"127.0.0.1:{self.port}", "tokenFile": "token"},
                },
                *({"id": f"w{number}", "library": counter} for number in range(3)),
                {"id": "w3", "library": counter, "placement": "worker"},
                {"id": "other", "library": counter, "settings": {"step": self.step}},
                {
                    "id": "orders",
                    "library": "libHTTPClientPlugin.so",
                    "lift": {"input": {"order/placed": "send"}, "dependencies": ["clock"]},
                    "settings": {"url": f"http://127.0.0.1:{self.service}/orders", "attempts": 12, "pause": 0.2, "maximumPause": 2},
                    "placement": "worker",
                    "grant": {"network": [f"connect:127.0.0.1:{self.service}"]},
                },
            ],
        }  # fmt: skip
        self.step = self.step % 100 + 1
        path = os.path.join(self.folder, "plugins.json")
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(configuration, file)
        os.rename(path + ".new", path)

    def start(self):
        """Starts the supervisor, and waits until the host answers."""
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "run", "--print", "none", "--supervise"], cwd=self.folder, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        begin = time.monotonic()
        while self.status() is None:
            if self.process.poll() is not None or time.monotonic() - begin > 60:
                raise RuntimeError(f"the host does not start: {self.log_end()}")
            time.sleep(0.05)

    def ask(self, *words, timeout=120):
        """What gatehouse ctl says: its exit code and its output, or its errors where it fails."""
        told = subprocess.run(
            [self.program, "ctl", *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
            check=False, timeout=timeout,
        )  # fmt: skip
        return told.returncode, told.stdout if told.returncode == 0 else told.stderr.strip()

    def status(self):
        """The overview as an object, or None where nobody answers."""
        code, text = self.ask("status", "--json")
        return json.loads(text) if code == 0 else None

    def state(self):
        """The whole state as an object."""
        code, text = self.ask("state")
        if code != 0:
            raise RuntimeError(f"the host does not tell its state: {text}")
        return json.loads(text)

    def has_ended(self, within):
        """Whether the supervisor ends within some seconds."""
        try:
            self.process.wait(within)
            return True
        except subprocess.TimeoutExpired:
            return False

    def stop(self):
        """Ends the host in good order; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)

    def kill(self):
        """Ends supervisor and host at once, after a failure."""
        status = self.status() if self.process and self.process.poll() is None else None
        for process in (self.process and self.process.pid, status and status["pid"]):
            if process:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        if self.process:
            self.process.wait()

    def log_size(self):
        """How many bytes its log has."""
        return os.path.getsize(os.path.join(self.folder, "log"))

    def log_from(self, place):
        """Its log after a number of bytes."""
        with open(os.path.join(self.folder, "log"), "rb") as log:
            log.seek(place)
            return log.read().decode(errors="replace")

    def log_end(self):
        """The last lines of its log."""
        return self.log_from(max(0, self.log_size() - 3000))


def workers(status):
    """The process of each worker in an overview."""
    pids = (instance.get("worker", {}).get("pid") for instance in status["instances"])
    return sorted({pid for pid in pids if pid})
