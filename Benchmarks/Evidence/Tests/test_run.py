# SPDX-License-Identifier: Apache-2.0

"""Whole runs against a product whose faults are known."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from faulty import FaultyProduct, Nowhere
import report
from run import Plan, rate, run

# Kills so far apart that actions are left after each but the last, however slow this machine is.
KILLS = tuple((goal, 0.0) for goal in range(200, 1_201, 200))
PLAN = Plan(seed=0, writers=4, actions=1_200, depth=16, pace=100_000, kills=KILLS)


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
        plan = Plan(seed=0, writers=4, actions=1_200, depth=16, pace=100_000, kills=KILLS[1:])
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
        def draw(seed):
            return Plan.drawing(seed, writers=4, actions=1_200, depth=16, pace=100_000, kills=6)

        self.assertEqual(draw(7), draw(7))
        self.assertNotEqual(draw(8).kills, draw(7).kills)
        goals = [goal for goal, _ in draw(7).kills]
        self.assertEqual((len(goals), goals, goals[-1]), (6, sorted(goals), 1_200))

    def test_the_table_has_the_figures_of_each_outcome(self):
        shown = outcome(FaultyProduct(lambda stored: stored.append(stored[0])))
        shown.again = [0.1, 0.3, 0.2]
        *_, row = report.table("process", [shown], settled=False).splitlines()
        self.assertEqual(row, "| Faulty |  |  | no name | 0 | 0 | 6 | 0 | 200 ms | 300 ms |")

    def test_only_a_settled_failure_of_the_machine_says_that_it_compares_nothing(self):
        for failure, settled in (("process", True), ("process", False), ("power", False)):
            self.assertNotIn("compares nothing", report.table(failure, [], settled))
        self.assertIn("compares nothing", report.table("power", [], settled=True))

    def test_a_rate_is_refused_where_actions_are_missing(self):
        class Forgetting(FaultyProduct):
            """Has not what it acknowledged."""

            def stored(self):
                return self.log[1:]

        self.assertGreater(rate(FaultyProduct(), PLAN), 0)
        with self.assertRaisesRegex(Exception, "Faulty was not killed, and yet: 1 lost: "):
            rate(Forgetting(), PLAN)
