# SPDX-License-Identifier: Apache-2.0

"""A small disk for the journal, which can be filled."""

import errno
import os
import subprocess

#: Its size in bytes.
SIZE = 256 << 20


class Disk:
    """An ext4 in a file, mounted at `path`; without root a plain folder that is never filled."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "disk")
        self.is_mounted = False
        os.mkdir(self.path, 0o755)
        if os.geteuid() != 0:
            return
        image = os.path.join(folder, "disk.image")
        with open(image, "wb") as file:
            file.truncate(SIZE)
        made = subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", image], check=False)
        mounted = made.returncode == 0 and subprocess.run(["mount", "-o", "loop", image, self.path], check=False).returncode == 0
        self.is_mounted = mounted

    def fill(self):
        """Takes all room that is left."""
        with open(os.path.join(self.path, "filling"), "wb", buffering=0) as file:
            for size in (1 << 20, 4096):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def free(self):
        """Gives the room back."""
        os.remove(os.path.join(self.path, "filling"))

    def remove(self):
        """Unmounts it."""
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", self.path], check=False)
