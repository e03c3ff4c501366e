# SPDX-License-Identifier: Apache-2.0

"""Whole runs against a product whose faults are known."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from faulty import FaultyProduct, Nowhere
from run import Plan, rate, run

PLAN = Plan.drawing(seed=7, writers=4, actions=1_200, depth=16, pace=100_000, kills=6)


def outcome(product):
    """The outcome of the plan for a product."""
    return run(product, Nowhere(), PLAN, lambda kill: None)


class RunTests(unittest.TestCase):
    def test_a_product_that_keeps_all_has_no_findings(self):
        shown = outcome(FaultyProduct())
        self.assertFalse(shown.findings, str(shown.findings))
        self.assertEqual(len(shown.record.acknowledged), 1_200)
        self.assertEqual(sorted(shown.record.stored), sorted(shown.record.sent))
        self.assertEqual(shown.lossy, 0)
        # After the last kill nothing is left to send, so nothing can be acknowledged.
        self.assertEqual(len(shown.again), 5)

    def test_what_is_forgotten_at_each_kill_is_lost(self):
        forgotten = []

        def forget(stored):
            # The oldest were acknowledged long ago: what is on its way would be sent again.
            forgotten.append(stored.pop(0))

        shown = outcome(FaultyProduct(forget))
        self.assertEqual(shown.findings.lost, sorted(forgotten[:6]))
        self.assertEqual(shown.lossy, 6)
        self.assertEqual((shown.findings.doubled, shown.findings.reordered, shown.findings.unknown), ([], [], []))

    def test_what_is_stored_twice_at_a_kill_is_doubled(self):
        shown = outcome(FaultyProduct(lambda stored: stored.append(stored[0])))
        # The seventh kill is the end of the run, after everything was read.
        self.assertEqual(len(shown.findings.doubled), 6)
        self.assertEqual((shown.findings.lost, shown.findings.reordered, shown.findings.unknown), ([], [], []))

    def test_what_changes_places_at_a_kill_is_reordered(self):
        def swap(stored):
            later = next(place for place, action in enumerate(stored) if place > 0 and action[0] == stored[0][0])
            stored[0], stored[later] = stored[later], stored[0]

        # An even number of swaps would undo itself.
        plan = Plan.drawing(seed=7, writers=4, actions=1_200, depth=16, pace=100_000, kills=5)
        shown = run(FaultyProduct(swap), Nowhere(), plan, lambda kill: None)
        self.assertEqual(len(shown.findings.reordered), 1)
        self.assertEqual((shown.findings.lost, shown.findings.doubled), ([], []))

    def test_actions_that_nobody_sent_are_unknown(self):
        shown = outcome(FaultyProduct(lambda stored: stored.append((9, len(stored)))))
        self.assertEqual(len(shown.findings.unknown), 6)

    def test_each_copy_of_an_action_that_is_sent_again_is_counted(self):
        shown = outcome(FaultyProduct(remembers=False))
        self.assertEqual(shown.findings.lost, [])
        self.assertEqual(len(shown.record.stored), 1_200 + len(shown.findings.doubled))

    def test_a_seed_draws_the_same_kills(self):
        again = Plan.drawing(seed=7, writers=4, actions=1_200, depth=16, pace=100_000, kills=6)
        self.assertEqual(again, PLAN)
        self.assertNotEqual(Plan.drawing(8, 4, 1_200, 16, 100_000, 6).kills, PLAN.kills)
        self.assertEqual(PLAN.kills[-1][0], 1_200)

    def test_a_rate_is_refused_where_actions_are_missing(self):
        class Forgetting(FaultyProduct):
            """Has not what it acknowledged."""

            def stored(self):
                return self.log[1:]

        self.assertGreater(rate(FaultyProduct(), PLAN), 0)
        with self.assertRaisesRegex(Exception, "Faulty was not killed, and yet: 1 lost: "):
            rate(Forgetting(), PLAN)
