# SPDX-License-Identifier: Apache-2.0

"""The least that an acknowledgement can take on this machine at this moment: a byte to a process that writes and syncs, and back."""

import os
import subprocess
import sys
import threading
import time
from collections import deque

#: The bytes of one write, and of the file that it goes around in; the file has its room from the beginning.
PIECE, SIZE = 4096, 1 << 20


class Yardstick(threading.Thread):
    """Asks the process of this file twenty times a second; `times` has the seconds of each answer.

    When the machine is busy with other things, these take longer as well as the acknowledgements of a host.
    """

    def __init__(self, path):
        super().__init__(daemon=True)
        self.times = deque()
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def run(self):
        while True:
            begin = time.monotonic()
            try:
                self.process.stdin.write(b".")
            except (OSError, ValueError):
                return
            if not self.process.stdout.read(1):
                return
            self.times.append(time.monotonic() - begin)
            time.sleep(0.05)

    def end(self):
        """Ends process and thread."""
        self.process.kill()
        self.process.wait()


def answer(path):
    """Writes and syncs a piece for each byte of standard input, and answers it."""
    with open(path, "wb", buffering=0) as file:
        file.write(bytes(SIZE))
        os.fsync(file.fileno())
        place = 0
        while byte := os.read(0, 1):
            os.pwrite(file.fileno(), bytes(PIECE), place)
            os.fdatasync(file.fileno())
            place = (place + PIECE) % SIZE
            os.write(1, byte)


if __name__ == "__main__":
    answer(sys.argv[1])
