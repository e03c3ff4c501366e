# SPDX-License-Identifier: Apache-2.0

"""What the forgetful file system keeps, where this machine can mount one."""

import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, FOLDER)

from storage import ForgetfulStorage


def can_mount():
    """Whether a compiler, the files of FUSE and the right to mount are here."""
    if not os.access("/dev/fuse", os.W_OK) or os.geteuid() != 0 or not shutil.which("cc") or not shutil.which("pkg-config"):
        return False
    return subprocess.run(["pkg-config", "--exists", "fuse3"], check=False).returncode == 0


@unittest.skipUnless(can_mount(), "it takes root, FUSE, a C compiler and libfuse3-dev")
class ForgetfulTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.program = os.path.join(cls.folder, "forgetful")
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "fuse3"], check=True, capture_output=True, text=True
        ).stdout.split()
        source = os.path.join(FOLDER, "forgetful.c")
        subprocess.run(["cc", "-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-o", cls.program, source, *flags], check=True)

    def setUp(self):
        self.storage = ForgetfulStorage(self.program, tempfile.mkdtemp(dir=self.folder))
        self.addCleanup(self.storage.remove)

    def path(self, name):
        """The path of a file or folder on the file system."""
        return os.path.join(self.storage.files, name)

    def write(self, name, text, mode="wb", sync=False):
        """Writes bytes into a file."""
        with open(self.path(name), mode) as file:
            file.write(text)
            file.flush()
            if sync:
                os.fsync(file.fileno())

    def read(self, name):
        """The bytes of a file."""
        with open(self.path(name), "rb") as file:
            return file.read()

    def sync_folder(self, name=""):
        """Syncs the names in a folder."""
        descriptor = os.open(self.path(name), os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    def test_synced_bytes_come_back_and_others_do_not(self):
        self.write("log", b"a" * 5_000, sync=True)
        self.write("log", b"b" * 5_000, "ab")
        self.assertEqual(len(self.read("log")), 10_000)
        self.assertTrue(self.storage.fail())
        self.assertEqual(self.read("log"), b"a" * 5_000)

    def test_a_file_that_nobody_synced_has_no_name(self):
        self.write("log", b"a")
        self.storage.fail()
        self.assertEqual(os.listdir(self.storage.files), [])

    def test_a_sync_of_one_file_keeps_all_names_and_no_other_bytes(self):
        self.write("other", b"b")
        self.write("log", b"a", sync=True)
        self.storage.fail()
        self.assertEqual((self.read("log"), self.read("other")), (b"a", b""))

    def test_overwritten_bytes_come_back_as_they_were_synced(self):
        self.write("log", b"a" * 10_000, sync=True)
        with open(self.path("log"), "r+b") as file:
            file.seek(4_000)
            file.write(b"b" * 2_000)
        self.storage.fail()
        self.assertEqual(self.read("log"), b"a" * 10_000)

    def test_a_rename_is_kept_by_a_sync_of_its_folder(self):
        self.write("file", b"old", sync=True)
        self.write("new", b"new", sync=True)
        os.rename(self.path("new"), self.path("file"))
        self.storage.fail()
        self.assertEqual((self.read("file"), self.read("new")), (b"old", b"new"))
        os.rename(self.path("new"), self.path("file"))
        self.sync_folder()
        self.storage.fail()
        self.assertEqual(os.listdir(self.storage.files), ["file"])
        self.assertEqual(self.read("file"), b"new")

    def test_folders_move_with_what_is_in_them(self):
        os.mkdir(self.path("a"))
        os.mkdir(self.path("ab"))
        self.write("a/file", b"x", sync=True)
        os.rename(self.path("a"), self.path("c"))
        self.sync_folder("c")
        self.storage.fail()
        self.assertEqual((sorted(os.listdir(self.storage.files)), self.read("c/file")), (["ab", "c"], b"x"))
        with self.assertRaises(OSError):
            os.rmdir(self.path("c"))

    def test_a_removed_file_is_back_until_its_folder_is_synced(self):
        self.write("file", b"x", sync=True)
        os.remove(self.path("file"))
        self.storage.fail()
        self.assertEqual(self.read("file"), b"x")
        os.remove(self.path("file"))
        self.sync_folder()
        self.storage.fail()
        self.assertEqual(os.listdir(self.storage.files), [])

    def test_a_file_cut_short_reads_as_zeros_where_it_grows_again(self):
        self.write("file", b"x" * 10_000, sync=True)
        with open(self.path("file"), "r+b") as file:
            file.truncate(100)
            file.truncate(9_000)
            os.fsync(file.fileno())
        self.storage.fail()
        self.assertEqual(self.read("file"), b"x" * 100 + bytes(8_900))

    def test_a_write_that_asks_for_it_is_synced(self):
        descriptor = os.open(self.path("file"), os.O_WRONLY | os.O_CREAT | os.O_DSYNC, 0o600)
        os.write(descriptor, b"x")
        os.close(descriptor)
        self.storage.fail()
        self.assertEqual(self.read("file"), b"x")

    def test_mapped_bytes_are_kept_by_a_sync(self):
        self.write("file", bytes(8_192), sync=True)
        with open(self.path("file"), "r+b") as file, mmap.mmap(file.fileno(), 8_192) as mapped:
            mapped[5_000:5_001] = b"x"
            mapped.flush()
            mapped[1:2] = b"y"
        self.storage.fail()
        self.assertEqual(self.read("file"), bytes(5_000) + b"x" + bytes(3_191))

    def test_settled_files_survive_without_a_sync_of_their_own(self):
        self.write("file", b"x")
        self.storage.settle()
        self.storage.fail()
        self.assertEqual(self.read("file"), b"x")

    def test_a_settled_storage_forgets_nothing_that_was_written(self):
        self.write("log", b"a")
        self.storage.settled = True
        self.storage.fail()
        self.assertEqual(self.read("log"), b"a")


if __name__ == "__main__":
    unittest.main()
