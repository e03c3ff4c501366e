# SPDX-License-Identifier: Apache-2.0

"""What a soak finds when something is planted, and what its writers do at a server that hangs up."""

import os
import socket
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from load import SocketLoad, numbers
from samples import BOUNDS, TIMES, TITLES, Sample, Sampler, grown, usage
from service import Service
from yardstick import Yardstick

QUIET = dict.fromkeys(TITLES, 10.0)


class GrowthTests(unittest.TestCase):
    def test_each_figure_above_its_bound_is_named(self):
        self.assertEqual(grown(QUIET, QUIET), [])
        for name, bound in (BOUNDS | {name: bound for name, (_, bound) in TIMES.items()}).items():
            with self.subTest(name=name):
                self.assertEqual(grown(QUIET, {**QUIET, name: bound(10)}), [])
                self.assertEqual(len(grown(QUIET, {**QUIET, name: bound(10) + 1})), 1)

    def test_a_time_may_be_as_much_longer_as_its_yardstick(self):
        for name, (least, bound) in TIMES.items():
            with self.subTest(name=name):
                busy = {**QUIET, least: 40.0}
                self.assertEqual(grown(QUIET, {**busy, name: bound(40)}), [])
                self.assertEqual(len(grown(QUIET, {**busy, name: bound(40) + 1})), 1)
                # A machine that has become faster asks no more of a host.
                self.assertEqual(grown(QUIET, {**QUIET, least: 1.0, name: bound(10)}), [])

    def test_the_yardstick_takes_times_until_it_is_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            yardstick = Yardstick(os.path.join(folder, "yardstick"))
            yardstick.start()
            while len(yardstick.times) < 3:
                threading.Event().wait(0.01)
            yardstick.end()
            yardstick.join(60)
        self.assertFalse(yardstick.is_alive())
        self.assertTrue(all(time > 0 for time in yardstick.times))
        yardstick.process.stdin.close()
        yardstick.process.stdout.close()

    def test_a_finding_has_the_figures(self):
        self.assertEqual(
            grown(QUIET, {**QUIET, "host_descriptors": 27}),
            ["descriptors of the host: 10.0 at first, 27.0 at the end, at most 26.0 is allowed"],
        )

    def test_a_span_has_the_medians_of_its_samples_and_the_lower_quartiles_of_times(self):
        with tempfile.TemporaryDirectory() as folder:
            sampler = Sampler(None, None, None, [], os.path.join(folder, "samples.csv"))
            sampler.file.close()
        sampler.samples = [Sample(second, second, *([1] * 5), second, *([1] * 4)) for second in range(10)]
        self.assertEqual(sampler.between(2, 6)["host_memory"], 4)
        self.assertEqual(sampler.between(2, 6)["latency_median"], 3)
        with self.assertRaisesRegex(ValueError, "^there is no sample between second 20 and 30$"):
            sampler.between(20, 30)

    def test_the_usage_of_this_process_has_its_threads_and_descriptors(self):
        before = usage(os.getpid())
        self.assertGreater(before[0], 1)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.assertEqual(usage(os.getpid())[1], before[1] + 2)


class ServiceTests(unittest.TestCase):
    def order(self, service, number, key):
        """Places one order, again and again until it is taken."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{service.port}/orders", b'{"id":%d}' % number, {"Idempotency-Key": key}, method="POST"
        )
        while True:
            try:
                with urllib.request.urlopen(request):
                    return
            except urllib.error.HTTPError as error:
                error.close()

    def test_missing_repeated_and_unknown_orders_are_found(self):
        service = Service(1)
        self.addCleanup(service.server.server_close)
        self.addCleanup(service.server.shutdown)
        for number in (1, 2, 4):
            self.order(service, number, f"key {number}")
        self.order(service, 2, "key 2")
        self.assertEqual(service.faults(2), ["1 orders reached it that were never placed: [4]"])
        self.assertEqual(service.faults(4), ["1 orders never reached the service: [3]"])
        self.order(service, 3, "key 3")
        self.assertEqual(service.faults(4), [])
        self.order(service, 3, "another key")
        self.assertEqual(service.faults(4), ["1 orders reached it under several keys or none: [3]"])


class LoadTests(unittest.TestCase):
    def listen(self):
        """The path of a socket in a folder of its own, and the server that listens there."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "in.sock")
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        server.bind(path)
        server.listen()
        return path, server

    def test_what_was_not_acknowledged_is_sent_again_in_its_order(self):
        path, server = self.listen()
        failures, heard, enough = [], [], threading.Event()
        load = SocketLoad(0, 2_000, failures, path, depth=8)

        def serve():
            while True:
                connection, _ = server.accept()
                with connection, connection.makefile("rb") as lines:
                    for count, line in enumerate(lines, 1):
                        heard.append(int(line.split(b'"by":')[1].split(b"}")[0]))
                        if len(heard) >= 500:
                            enough.set()
                        # Every hundredth line is taken, and the connection ends in place of its acknowledgement.
                        if len(heard) % 100 == 0:
                            break
                        connection.sendall(b'{"ok":%d}\n' % count)
                    else:
                        return

        server_thread = threading.Thread(target=serve)
        server_thread.start()
        load.start()
        enough.wait(60)
        load.ending.set()
        load.join(60)
        server_thread.join(60)
        self.assertFalse(failures)
        self.assertGreaterEqual(load.acknowledged, 490)
        first = list(dict.fromkeys(heard))
        self.assertEqual(first, list(range(1, load.acknowledged + 1)))
        # Each break repeats what was on its way, which is at least the line without an acknowledgement.
        self.assertGreaterEqual(len(heard) - len(first), 4)

    def test_a_rejected_line_is_a_failure(self):
        path, server = self.listen()
        failures = []
        load = SocketLoad(0, 100, failures, path)
        load.start()
        connection, _ = server.accept()
        with connection:
            connection.recv(100)
            connection.sendall(b'{"ok":1,"rejected":1}\n')
            load.join(60)
        self.assertEqual(failures, ["""writer 0: ValueError('the host answered {"ok":1,"rejected":1}')"""])

    def test_the_sum_of_the_numbers_tells_a_loss_from_a_copy(self):
        self.assertEqual(numbers(4), 1 + 2 + 3 + 4)


if __name__ == "__main__":
    unittest.main()
