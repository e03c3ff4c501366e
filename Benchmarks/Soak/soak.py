# SPDX-License-Identifier: Apache-2.0

"""The command line of make soak HOURS=…; Scripts/soak says what happens."""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time

from disk import Disk
from host import Host, workers
from load import HTTPLoad, OrderLoad, SocketLoad, numbers
from samples import TITLES, Sampler, grown
from service import Service
from yardstick import Yardstick


class Soak:
    """One run. In its first half programs are replaced and the disk is filled; then one process lives to the end."""

    #: Every how many seconds on average something happens.
    RELOAD, KILL, UPGRADE, FILL = 20, 30, 60, 90

    def __init__(self, options, folder, place, seed):
        self.options = options
        self.seconds = options.hours * 3600
        self.chance = random.Random(seed)
        self.disk = Disk(place)
        self.service = Service(seed)
        self.host = Host(
            os.path.realpath(options.program), os.path.realpath(options.plugins), folder, self.disk.path, self.service.port
        )
        self.failures = []
        path = os.path.join(folder, "in.sock")
        self.probe = SocketLoad(2, 20, self.failures, path, depth=1)
        self.orders = OrderLoad(4, 20, self.failures, path, depth=16)
        self.counted = [
            SocketLoad(0, 300, self.failures, path),
            HTTPLoad(1, 200, self.failures, self.host.port),
            self.probe,
            SocketLoad(3, 200, self.failures, path),
        ]
        self.loads = [*self.counted, self.orders]
        self.yardstick = Yardstick(os.path.join(self.disk.path, "yardstick"))
        self.sampler = Sampler(self.host, self.probe, self.yardstick, self.loads, os.path.join(place, "samples.csv"))
        self.done = {"reloads": 0, "kills of workers": 0, "upgrades": 0, "full disks": 0, "starts after a full disk": 0}

    def run(self):
        """Loads, disturbs and samples, and lets everything come to its end."""
        self.host.start()
        for load in self.loads:
            load.start()
        self.yardstick.start()
        begin = self.sampler.begin = time.monotonic()
        events = {self.reload: self.RELOAD, self.kill_worker: self.KILL}
        once = {self.upgrade: self.UPGRADE}
        if self.disk.is_mounted:
            once[self.fill_disk] = self.FILL
        due = {event: begin + self.chance.expovariate(1 / mean) for event, mean in events.items()}
        # Not in the first sixth, which gives the figures of the beginning, and early enough to happen at all.
        for event, mean in once.items():
            due[event] = begin + self.seconds / 6 + self.chance.uniform(0, min(mean, self.seconds / 6))
        sample = begin + self.options.every
        while (now := time.monotonic()) < begin + self.seconds and not self.failures:
            if self.host.process.poll() is not None:
                raise RuntimeError(f"the host has ended with {self.host.process.returncode}: {self.host.log_end()}")
            if now >= sample:
                self.sampler.take()
                sample += self.options.every
            for event, mean in {**events, **once}.items():
                if now >= due[event]:
                    if event in events or now < begin + self.seconds / 2:
                        event()
                    due[event] = time.monotonic() + self.chance.expovariate(1 / mean)
            time.sleep(0.05)
        for load in self.loads:
            load.ending.set()
        for load in self.loads:
            load.join(120)
            if load.is_alive():
                self.failures.append(f"writer {load.writer} waits for acknowledgements for two minutes")

    def reload(self):
        """Changes the step of `other`, and waits until the new generation runs."""
        self.host.configure()
        code, text = self.host.ask("reload")
        if code != 0:
            raise RuntimeError(f"a reload was refused: {text}")
        self.done["reloads"] += 1

    def kill_worker(self):
        """Kills a worker; the host starts another one."""
        status = self.host.status()
        if status and (pids := workers(status)):
            try:
                os.kill(self.chance.choice(pids), signal.SIGKILL)
                self.done["kills of workers"] += 1
            except ProcessLookupError:
                pass

    def upgrade(self):
        """Lets the same program go on for the host, as another process."""
        before = self.host.status()
        code, text = self.host.ask("upgrade", self.host.program)
        if code != 0:
            raise RuntimeError(f"an upgrade failed: {text}")
        after = self.host.status()
        if after is None or before is None or after["pid"] == before["pid"]:
            raise RuntimeError(f"an upgrade has left the process as it was: {text}")
        self.done["upgrades"] += 1

    def fill_disk(self):
        """Fills the disk, lets the host end, gives the room back, and starts it again.

        A host that finds enough room in the journal's own file for half a minute goes on.
        """
        known = self.host.log_size()
        self.disk.fill()
        self.done["full disks"] += 1
        ended = self.host.has_ended(30)
        self.disk.free()
        if not ended:
            # A write may have failed a moment ago; then it is on its way out, and waits for effects.
            time.sleep(0.5)
            if "the journal cannot be written" not in self.host.log_from(known):
                return
        if not self.host.has_ended(60):
            raise RuntimeError(f"the host has not ended a minute after a write failed: {self.host.log_end()}")
        if self.host.process.returncode != 74:
            raise RuntimeError(f"on a full disk the host ended with {self.host.process.returncode}: {self.host.log_end()}")
        self.host.start()
        self.done["starts after a full disk"] += 1

    def faults(self):
        """What is not exact now that everything was acknowledged, as sentences."""
        faults = list(self.failures)
        begin = time.monotonic()
        while (status := self.host.status()) is None or status["effects"] or status["waiting"]:
            if time.monotonic() - begin > 120:
                faults.append("effects are still running two minutes after the last action")
                break
            time.sleep(0.2)
        state = self.host.state()
        for load in self.counted:
            count, expected = state[f"w{load.writer}"]["count"], numbers(load.acknowledged)
            if count != expected:
                faults.append(
                    f"w{load.writer} has added up {count:,} for {load.acknowledged:,} acknowledged actions, and not {expected:,}"
                )
        faults += self.service.faults(self.orders.acknowledged)
        if status and status["deadLetters"]:
            faults.append(f"{status['deadLetters']} actions became dead letters")
        return faults

    def report(self):
        """The table; what has grown above its bound, as sentences."""
        spans = [(0, self.seconds / 6), (self.seconds / 2, self.seconds * 2 / 3), (self.seconds * 5 / 6, self.seconds)]
        begin, middle, end = (self.sampler.between(*span) for span in spans)
        print("| | at first | of the last process, at first | at the end |")
        print("|---|---:|---:|---:|")
        for name, title in TITLES.items():
            places = 1 if title.endswith(("ms", "MiB")) else 0
            print(f"| {title} | " + " | ".join(f"{span[name]:,.{places}f}" for span in (begin, middle, end)) + " |")
        print()
        print(", ".join(f"{count} {what}" for what, count in self.done.items()) + "; ", end="")
        acknowledged = sum(load.acknowledged for load in self.loads)
        print(f"{acknowledged:,} actions acknowledged, {self.service.requests:,} requests to the service")
        return [*grown(begin, end), *grown(middle, end)]


def main(words):
    """Runs a soak; the exit code."""
    parser = argparse.ArgumentParser(prog="Scripts/soak", add_help=False)
    parser.add_argument("hours", type=float, nargs="?", default=8)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 32))
    parser.add_argument("--program", required=True)
    parser.add_argument("--plugins", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--every", type=float)
    options = parser.parse_args(words)
    if not options.hours >= 0.03:
        parser.error("it takes at least 0.03 hours")
    options.every = options.every or min(60, options.hours * 3600 / 60)
    shutil.rmtree(options.folder, ignore_errors=True)
    os.makedirs(options.folder, 0o755)
    folder = tempfile.mkdtemp(prefix="soak-")
    print(f"soak: seed {options.seed}, {options.hours:g} hours; samples go to {options.folder}/samples.csv", file=sys.stderr)
    soak = Soak(options, folder, options.folder, options.seed)
    if not soak.disk.is_mounted:
        print("soak: the disk is not filled, because mounting a small one takes root", file=sys.stderr)
    try:
        soak.run()
        faults = soak.faults()
        code = soak.host.stop()
        if code != 0:
            faults.append(f"the host ended with {code}: {soak.host.log_end()}")
        faults += soak.report()
    except (RuntimeError, ValueError) as error:
        faults = [str(error), *soak.failures]
    finally:
        soak.host.kill()
        soak.yardstick.end()
        shutil.copyfile(os.path.join(folder, "log"), os.path.join(options.folder, "log"))
        soak.disk.remove()
        shutil.rmtree(folder, ignore_errors=True)
    for fault in faults:
        print(f"soak: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
