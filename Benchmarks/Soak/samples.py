# SPDX-License-Identifier: Apache-2.0

"""What the processes of a host take, sampled, and how much that may grow."""

import csv
import os
import statistics
import time
from dataclasses import dataclass, fields

from host import workers


@dataclass
class Sample:
    """One moment. Memory is resident, in MiB; times since the sample before are in ms.

    Latency is that of lone acknowledgements, and the least that of the yardstick.
    """

    seconds: float
    host_memory: float
    host_descriptors: int
    host_threads: int
    workers_memory: float
    workers_descriptors: int
    workers_threads: int
    latency_median: float
    latency_p99: float
    least_median: float
    least_p99: float
    acknowledged: int


#: What each figure may be at the end, when it was so much at the beginning. Times are in `TIMES`.
BOUNDS = {
    "host_memory": lambda begin: begin * 1.2 + 16,
    "host_descriptors": lambda begin: begin + 16,
    "host_threads": lambda begin: begin + 8,
    "workers_memory": lambda begin: begin * 1.2 + 16,
    "workers_descriptors": lambda begin: begin + 16,
    "workers_threads": lambda begin: begin + 8,
}

#: For each time its yardstick, and what it may be, after it was multiplied by how much longer the yardstick has become.
TIMES = {
    "latency_median": ("least_median", lambda begin: begin * 2 + 1),
    "latency_p99": ("least_p99", lambda begin: begin * 3 + 10),
}

TITLES = {
    "host_memory": "memory of the host, MiB",
    "host_descriptors": "descriptors of the host",
    "host_threads": "threads of the host",
    "workers_memory": "memory of its workers, MiB",
    "workers_descriptors": "descriptors of its workers",
    "workers_threads": "threads of its workers",
    "latency_median": "a lone acknowledgement, median, ms",
    "latency_p99": "the same, 99th percentile, ms",
    "least_median": "writing and syncing alone, median, ms",
    "least_p99": "the same, 99th percentile, ms",
}


class Sampler:
    """Takes samples, and writes each into a file at once."""

    def __init__(self, host, probe, yardstick, loads, path):
        self.host, self.probe, self.yardstick, self.loads = host, probe, yardstick, loads
        self.begin = time.monotonic()
        self.samples = []
        self.file = open(path, "w", newline="", encoding="utf-8")
        self.table = csv.writer(self.file)
        self.table.writerow(field.name for field in fields(Sample))

    def take(self):
        """Takes a sample, unless the host or a worker is just being replaced."""
        status = self.host.status()
        if status is None:
            return
        times, least = taken(self.probe.times), taken(self.yardstick.times)
        try:
            host = usage(status["pid"])
            others = [usage(pid) for pid in workers(status)]
        except (FileNotFoundError, ProcessLookupError):
            return
        if min(len(times), len(least)) < 20 or len(others) < 2:
            return
        sample = Sample(
            round(time.monotonic() - self.begin, 1), *host, *(sum(column) for column in zip(*others)),
            *spread(times), *spread(least), sum(load.acknowledged for load in self.loads),
        )  # fmt: skip
        self.samples.append(sample)
        self.table.writerow(
            round(value, 2) if isinstance(value, float) else value for value in (getattr(sample, field.name) for field in fields(Sample))
        )
        self.file.flush()

    def between(self, begin, end):
        """The figures in a span of seconds; raises ValueError when it has no sample.

        Each is the median of the samples. A time is their lower quartile: other work on the machine only makes it longer, and a
        host that has become slow is slow in the quietest samples, too.
        """
        chosen = [sample for sample in self.samples if begin <= sample.seconds <= end]
        if not chosen:
            raise ValueError(f"there is no sample between second {begin:.0f} and {end:.0f}")
        figures = {}
        for name in TITLES:
            values = sorted(getattr(sample, name) for sample in chosen)
            figures[name] = values[len(values) // 4] if name.startswith(("latency", "least")) else statistics.median(values)
        return figures


def usage(pid):
    """Resident memory in MiB, descriptors and threads of a process."""
    values = {}
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        for line in file:
            name, _, value = line.partition(":")
            values[name] = value.split()
    return int(values["VmRSS"][0]) / 1024, len(os.listdir(f"/proc/{pid}/fd")), int(values["Threads"][0])


def taken(times):
    """The times in a queue that another thread fills, in ms; takes them out of it."""
    return [times.popleft() * 1000 for _ in range(len(times))]


def spread(times):
    """The median and the 99th percentile of times."""
    return statistics.median(times), sorted(times)[int(len(times) * 0.99)]


def grown(begin, end):
    """Each figure that is above its bound, as a sentence."""
    allowed = {name: bound(begin[name]) for name, bound in BOUNDS.items()}
    for name, (least, bound) in TIMES.items():
        # What the machine takes longer for a yardstick says nothing about a host.
        allowed[name] = bound(begin[name] * max(1, end[least] / begin[least]))
    return [
        f"{TITLES[name]}: {begin[name]:,.1f} at first, {end[name]:,.1f} at the end, at most {most:,.1f} is allowed"
        for name, most in allowed.items()
        if end[name] > most
    ]
