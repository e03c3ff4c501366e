# SPDX-License-Identifier: Apache-2.0

"""One run: a product, its writers, and the kills that a seed draws."""

import random
import time
from dataclasses import dataclass, field

from checker import judge
from writers import Refused, Writers


@dataclass(frozen=True)
class Plan:
    """What is the same for all products. A kill is the number of acknowledged actions that it waits for, and then seconds."""

    seed: int
    writers: int
    actions: int
    depth: int
    pace: int
    kills: tuple

    @classmethod
    def drawing(cls, seed, writers, actions, depth, pace, kills):
        """The plan of a seed: its last kill comes when all actions are acknowledged."""
        chance = random.Random(seed)
        goals = sorted(chance.randrange(1, actions) for _ in range(kills - 1)) + [actions]
        return cls(seed, writers, actions, depth, pace, tuple((goal, chance.uniform(0, 0.02)) for goal in goals))


@dataclass
class Outcome:
    """What a run showed. `again` has the seconds until the first acknowledgement after each kill but the last.

    `lossy` counts the kills after which acknowledged actions were missing that were there before, or never came.
    """

    product: object
    findings: object = None
    record: object = None
    again: list = field(default_factory=list)
    lossy: int = 0


def run(product, storage, plan, progress):
    """Kills the product by the plan, and reads everything back after each kill. `progress` is called with each kill's number."""
    outcome = Outcome(product)
    writers = Writers(product, plan.writers, plan.actions, plan.depth, plan.pace)
    outcome.record = writers.record
    product.prepare()
    product.start()
    try:
        wait_and(product.create)
        writers.connect()
        storage.settle()
        lost = set()
        for number, (goal, linger) in enumerate(plan.kills):
            if writers.acknowledged < goal:
                writers.serve(goal, linger)
            killed = time.monotonic()
            product.kill()
            writers.disconnect()
            if storage.fail():
                # The start of a machine is not the product's.
                killed = time.monotonic()
            product.start()
            writers.connect()
            if writers.acknowledged < plan.actions:
                writers.serve(
                    writers.acknowledged + 1, first=lambda since=killed: outcome.again.append(time.monotonic() - since)
                )
                writers.finish_waiting()
            writers.record.stored = product.stored()
            outcome.findings = judge(writers.record)
            if new := set(outcome.findings.lost) - lost:
                outcome.lossy += 1
                lost |= new
            progress(number + 1)
    finally:
        if product.process:
            product.kill()
        writers.disconnect()
    return outcome


def rate(product, plan):
    """How many actions of the plan the product acknowledges a second, as fast as the writers can and without a kill.

    Raises Refused when it has not stored them all, each once and in order.
    """
    writers = Writers(product, plan.writers, plan.actions, plan.depth)
    product.prepare()
    product.start()
    try:
        wait_and(product.create)
        writers.connect()
        writers.serve(plan.actions)
        writers.record.stored = product.stored()
        if findings := judge(writers.record):
            raise Refused(f"{product.title} was not killed, and yet: {findings}")
        return plan.actions / writers.seconds
    finally:
        product.kill()
        writers.disconnect()


def wait_and(act):
    """Does something once the product takes connections."""
    begin = time.monotonic()
    while True:
        try:
            return act()
        except OSError:
            if time.monotonic() - begin > 60:
                raise
            time.sleep(0.01)
