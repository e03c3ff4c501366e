# SPDX-License-Identifier: Apache-2.0

"""Compares what writers were told with what a product gives back, and knows nothing of either."""

import json
from dataclasses import dataclass, field

# An action is a pair: the writer's number, and its own number among the actions of that writer, which counts from 1.


@dataclass
class Record:
    """What one run has to answer for, in a form that a file can keep.

    `acknowledged` and `sent` are sets of actions; `stored` lists what was read back, in the product's order, with every
    copy. An action in `sent` alone may be stored or not: nobody promised anything.
    """

    acknowledged: set = field(default_factory=set)
    sent: set = field(default_factory=set)
    stored: list = field(default_factory=list)

    def text(self):
        """The record as JSON."""
        return json.dumps(
            {
                "acknowledged": sorted(self.acknowledged),
                "sent": sorted(self.sent),
                "stored": self.stored,
            }
        )

    @classmethod
    def reading(cls, text):
        """The record that `text` made; raises ValueError for anything else."""
        try:
            parts = json.loads(text)
            lists = [[tuple(action) for action in parts[key]] for key in ("acknowledged", "sent", "stored")]
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is no record of a run: {error!r}") from error
        for action in (action for actions in lists for action in actions):
            if len(action) != 2 or not all(type(number) is int for number in action):
                raise ValueError(f"this is no record of a run: an action is two numbers, found {list(action)}")
        return cls(set(lists[0]), set(lists[1]), lists[2])


@dataclass(frozen=True)
class Findings:
    """What a record shows, each as a list of actions.

    `lost` were acknowledged and are not stored. `doubled` has each copy after the first. `reordered` are stored after a later
    action of their writer, first copies alone. `unknown` are stored and were never sent.
    """

    lost: list
    doubled: list
    reordered: list
    unknown: list

    def __bool__(self):
        return bool(self.lost or self.doubled or self.reordered or self.unknown)

    def __str__(self):
        parts = []
        for name in ("lost", "doubled", "reordered", "unknown"):
            actions = getattr(self, name)
            if actions:
                shown = ", ".join(f"{writer}/{number}" for writer, number in actions[:5])
                parts.append(f"{len(actions)} {name}: {shown}" + (", …" if len(actions) > 5 else ""))
        return "; ".join(parts) or "nothing lost, doubled, reordered or unknown"


def judge(record):
    """The findings of a record, which it does not change."""
    doubled, reordered, unknown = [], [], []
    seen, highest = set(), {}
    for action in record.stored:
        if action in seen:
            doubled.append(action)
            continue
        seen.add(action)
        if action not in record.sent:
            unknown.append(action)
            continue
        writer, number = action
        if number < highest.get(writer, 0):
            reordered.append(action)
        else:
            highest[writer] = number
    return Findings(sorted(record.acknowledged - seen), doubled, reordered, unknown)
