# SPDX-License-Identifier: Apache-2.0

"""What the checker finds in records with planted faults."""

import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from checker import Findings, Record, judge


def perfect(actions=200):
    """The record of a run without a fault: four writers, whose actions are stored in a mixed order that is each one's own."""
    stored = [(index % 4, index // 4 + 1) for index in range(actions)]
    return Record(set(stored), set(stored), list(stored))


class CheckerTests(unittest.TestCase):
    def test_a_perfect_record_has_no_findings(self):
        findings = judge(perfect())
        self.assertFalse(findings)
        self.assertEqual(str(findings), "nothing lost, doubled, reordered or unknown")

    def test_an_acknowledged_action_that_is_not_stored_is_lost(self):
        record = perfect()
        record.stored.remove((2, 17))
        self.assertEqual(judge(record), Findings([(2, 17)], [], [], []))
        self.assertEqual(str(judge(record)), "1 lost: 2/17")

    def test_an_action_without_acknowledgement_may_be_stored_or_not(self):
        record = perfect()
        record.acknowledged -= {(2, 50), (3, 50)}
        record.stored.remove((2, 50))
        self.assertFalse(judge(record))

    def test_each_further_copy_is_doubled_wherever_it_is(self):
        record = perfect()
        record.stored.insert(100, (1, 3))
        record.stored += [(1, 3), (0, 50)]
        self.assertEqual(judge(record), Findings([], [(1, 3), (1, 3), (0, 50)], [], []))

    def test_an_action_behind_a_later_one_of_its_writer_is_reordered(self):
        record = perfect()
        record.stored.remove((3, 20))
        record.stored.insert(record.stored.index((3, 21)) + 1, (3, 20))
        self.assertEqual(judge(record), Findings([], [], [(3, 20)], []))

    def test_the_order_between_writers_is_free(self):
        record = perfect()
        record.stored.sort()
        self.assertFalse(judge(record))

    def test_an_action_that_nobody_sent_is_unknown(self):
        record = perfect()
        record.stored.append((7, 1))
        record.stored.append((0, 51))
        self.assertEqual(judge(record), Findings([], [], [], [(7, 1), (0, 51)]))

    def test_a_list_is_shortened_after_five(self):
        record = perfect()
        record.stored = record.stored[24:]
        self.assertEqual(str(judge(record)), "24 lost: 0/1, 0/2, 0/3, 0/4, 0/5, …")

    def test_random_faults_are_counted_exactly(self):
        seed = random.SystemRandom().randrange(1 << 32)
        chance = random.Random(seed)
        for _ in range(200):
            record = perfect(400)
            lost = set(chance.sample(record.stored, chance.randrange(20)))
            record.stored = [action for action in record.stored if action not in lost]
            copies = chance.choices(record.stored, k=chance.randrange(20))
            record.stored += copies
            with self.subTest(seed=seed):
                self.assertEqual(judge(record), Findings(sorted(lost), copies, [], []))

    def test_a_record_survives_its_file(self):
        record = perfect()
        record.acknowledged.discard((1, 1))
        self.assertEqual(Record.reading(record.text()), record)

    def test_what_is_no_record_is_refused(self):
        for text in ("", "[]", "{}", '{"acknowledged":1,"sent":[],"stored":[]}', '{"acknowledged":[],"sent":[],"stored":[[1]]}',
                     '{"acknowledged":[],"sent":[["0","1"]],"stored":[]}', '{"acknowledged":[],"sent":[],"stored":[[1,true]]}'):  # fmt: skip
            with self.subTest(text=text), self.assertRaises(ValueError):
                Record.reading(text)
