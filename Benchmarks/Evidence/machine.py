# SPDX-License-Identifier: Apache-2.0

"""The machine of a run, as its kernel describes it."""

import os
import platform
import statistics
import subprocess
import time


def processors():
    """The model and number of the processors that this process may use."""
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{len(os.sched_getaffinity(0))} × {model}"


def system():
    """The name of the distribution, and the kernel."""
    name = "Linux"
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        pass
    return f"{name}, kernel {platform.release()}"


def file_system(folder):
    """The type of the file system of a folder, and its options."""
    told = subprocess.run(
        ["findmnt", "--noheadings", "--output", "FSTYPE,OPTIONS", "--target", folder],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return " ".join(told.stdout.split()) or "unknown"


def seconds_of_sync(folder):
    """The median time of writing 4 KiB and syncing them in a folder, in seconds: what a disk adds to each acknowledgement."""
    path = os.path.join(folder, "sync-probe")
    times = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(50):
            begin = time.monotonic()
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - begin)
    os.remove(path)
    return statistics.median(times)
