# SPDX-License-Identifier: Apache-2.0

"""The answers of the products, as they were recorded, cut at each byte."""

import os
import socket
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from gatehouse_product import GatehouseChannel
from nats_product import JetStreamChannel
from redis_product import AlwaysRedis, RedisChannel
from writers import Refused


class ProtocolTests(unittest.TestCase):
    def channel(self, kind, *words):
        """A channel whose other end reads nothing, after it has sent the actions 1 to 5 of writer 2."""
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        channel = kind(ours, 2, *words)
        channel.send([1, 2, 3, 4, 5])
        return channel

    def numbers(self, make, data):
        """What the bytes acknowledge, which must not depend on where they are cut."""
        whole = make().acknowledgements(data)
        for cut in range(len(data)):
            channel = make()
            parts = list(channel.acknowledgements(data[:cut])) + list(channel.acknowledgements(data[cut:]))
            self.assertEqual(parts, whole, f"cut after {cut} bytes")
        return whole

    def test_gatehouse_counts_the_lines_of_the_connection(self):
        self.assertEqual(self.numbers(lambda: self.channel(GatehouseChannel), b'{"ok":2}\n{"ok":4}\n'), [1, 2, 3, 4])

    def test_a_line_that_gatehouse_rejects_ends_the_run(self):
        with self.assertRaisesRegex(Refused, '^Gatehouse answered {"ok":2,"rejected":1}$'):
            self.channel(GatehouseChannel).acknowledgements(b'{"ok":2,"rejected":1}\n')

    def redis(self):
        return self.channel(RedisChannel, "writer:2", AlwaysRedis.entry)

    def test_redis_answers_in_order_also_what_it_has_already(self):
        data = (
            b"$3\r\n1-0\r\n-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n$3\r\n3-0\r\n"
        )
        self.assertEqual(self.numbers(self.redis, data), [1, 2, 3])

    def test_another_error_of_redis_ends_the_run(self):
        with self.assertRaisesRegex(Refused, "^Redis answered -OOM command not allowed$"):
            self.redis().acknowledgements(b"-OOM command not allowed\r\n")

    def jetstream(self):
        return self.channel(JetStreamChannel)

    def test_jetstream_names_the_action_in_the_subject(self):
        data = (
            b'INFO {"server_id":"A"}\r\nPING\r\n'
            b'MSG acknowledged.2.2 2 29\r\n{"stream":"EVIDENCE","seq":8}\r\n'
            b'MSG acknowledged.2.1 2 46\r\n{"stream":"EVIDENCE","seq":7,"duplicate":true}\r\n'
        )
        self.assertEqual(self.numbers(self.jetstream, data), [2, 1])

    def test_an_error_of_jetstream_ends_the_run(self):
        for data in (
            b"HMSG acknowledged.2.1 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\n",
            b'MSG acknowledged.2.1 2 53\r\n{"error":{"code":503,"description":"no such stream"}}\r\n',
            b"-ERR 'Unknown Protocol Operation'\r\n",
        ):
            with self.subTest(data=data), self.assertRaisesRegex(Refused, "^NATS answered "):
                self.jetstream().acknowledgements(data)
