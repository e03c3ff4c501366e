# SPDX-License-Identifier: Apache-2.0

"""The folder of a server's files: on the disk, or on a file system that forgets what was not synced."""

import os
import signal
import subprocess
import time


class Storage:
    """A folder on the disk, which keeps all that a process wrote before it was killed."""

    def __init__(self, folder):
        self.files = folder
        os.makedirs(folder, mode=0o755)

    def settle(self):
        """Lets what was written so far survive, as if it was written long ago."""

    def fail(self):
        """Loses what a failure of the machine loses, once the server is dead; whether the machine had to start again."""
        return False

    def remove(self):
        """Ends what the folder needs; the files stay."""


class ForgetfulStorage(Storage):
    """A mounted folder behind the program of forgetful.c, whose SIGKILL is the power failure.

    When it is `settled`, everything is synced before: then nothing that was written is missing, or the file system is to blame.
    """

    def __init__(self, program, folder, settled=False):
        self.program = program
        self.settled = settled
        self.kept = os.path.join(folder, "kept")
        self.process = None
        os.makedirs(self.kept, mode=0o755)
        super().__init__(os.path.join(folder, "files"))
        self._mount()

    def settle(self):
        for folder, _, files in os.walk(self.files):
            for name in files:
                descriptor = os.open(os.path.join(folder, name), os.O_RDONLY)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
        descriptor = os.open(self.files, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def fail(self):
        if self.settled:
            self.settle()
        self.remove()
        self._mount()
        return True

    def remove(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None
            if os.geteuid() == 0:
                subprocess.run(["umount", "--lazy", self.files], check=True)
            else:
                subprocess.run(["fusermount3", "-u", "-z", self.files], check=True)

    def _mount(self):
        self.process = subprocess.Popen([self.program, self.kept, self.files], stdin=subprocess.DEVNULL)
        while not os.path.ismount(self.files):
            if self.process.poll() is not None:
                raise OSError(f"{self.program} {self.kept} {self.files} ended with {self.process.returncode}")
            time.sleep(0.002)
