# SPDX-License-Identifier: Apache-2.0

"""Four writers on one thread, which keep a fixed number of actions on their way each."""

import selectors
import time
from collections import deque

from checker import Record

#: How long a product may take until it acknowledges the next action, in seconds.
PATIENCE = 60


class NotReady(Exception):
    """A server that is not there yet, or refuses for the moment; its text goes to whoever waits in vain."""


class Refused(Exception):
    """An answer that no writer expects, with which a run cannot go on."""


class Writer:
    """One writer: `waiting` are its actions without an acknowledgement, oldest first, which a new connection gets again."""

    def __init__(self, number, actions):
        self.number = number
        self.actions = actions
        self.next = 1
        self.waiting = deque()
        self.unsent = deque()
        self.channel = None

    def take(self, depth, new):
        """The numbers to send next, so that `depth` are on their way: first those to be sent again, then `new` ones at most."""
        on_the_way = len(self.waiting) - len(self.unsent)
        numbers = []
        while len(numbers) < depth - on_the_way:
            if self.unsent:
                numbers.append(self.unsent.popleft())
            elif self.next <= self.actions and new > 0:
                numbers.append(self.next)
                self.waiting.append(self.next)
                self.next += 1
                new -= 1
            else:
                break
        return numbers

    def lose_channel(self):
        """Closes the connection; all that waits for an acknowledgement is to be sent again, in its order."""
        if self.channel:
            self.channel.close()
        self.channel = None
        self.unsent = deque(self.waiting)


class Writers:
    """The writers of one run, and what they were told; `record` has it for the checker."""

    def __init__(self, product, count, actions, depth, pace=None):
        self.product = product
        #: How many new actions all of them send in a second; as many as the depth allows without it.
        self.pace = pace
        self.depth = depth
        self.actions = actions
        self.writers = [
            Writer(number, actions // count + (1 if number < actions % count else 0)) for number in range(count)
        ]
        self.record = Record()
        #: The seconds in which they wrote.
        self.seconds = 0.0

    @property
    def acknowledged(self):
        """How many actions were acknowledged so far."""
        return len(self.record.acknowledged)

    def connect(self):
        """Connects each writer; waits for a server that starts. Raises NotReady with its reason after PATIENCE."""
        for writer in self.writers:
            begin = time.monotonic()
            while writer.channel is None:
                try:
                    writer.channel = self.product.channel(writer.number)
                except (OSError, NotReady) as error:
                    if time.monotonic() - begin > PATIENCE:
                        raise NotReady(f"{self.product.title} does not serve after {PATIENCE} s: {error}") from error
                    time.sleep(0.002)

    def serve(self, goal, linger=0.0, first=None):
        """Writes until `goal` actions are acknowledged and `linger` more seconds have passed.

        `first` is called at the first acknowledgement. Raises NotReady after PATIENCE without one.
        """
        begin = latest = time.monotonic()
        before = self.acknowledged
        sent = len(self.record.sent)
        end = begin + linger if before >= goal else None
        with selectors.DefaultSelector() as selector:
            for writer in self.writers:
                selector.register(writer.channel.socket, selectors.EVENT_READ, writer)
            due = self.writers
            while end is None or (time.monotonic() < end and self.acknowledged < self.actions):
                now = time.monotonic()
                new = self.depth
                if self.pace:
                    due = self.writers
                    new = int((now - begin) * self.pace - (len(self.record.sent) - sent)) // len(self.writers) + 1
                for writer in due:
                    self._send(writer, new)
                due = []
                for key, _ in selector.select(self._turn(now, end)):
                    if not self._receive(key.data):
                        raise NotReady(f"{self.product.title} closed a connection by itself")
                    due.append(key.data)
                    latest = now
                    if first and self.acknowledged > before:
                        first()
                        first = None
                if now - latest > PATIENCE:
                    raise NotReady(f"{self.product.title} acknowledges nothing for {PATIENCE} s")
                if end is None and self.acknowledged >= goal:
                    end = time.monotonic() + linger
        self.seconds += time.monotonic() - begin

    def finish_waiting(self):
        """Sends nothing new, and waits until all that is on its way is acknowledged."""
        actions = [writer.actions for writer in self.writers]
        for writer in self.writers:
            writer.actions = writer.next - 1
        self.serve(self.acknowledged + sum(len(writer.waiting) for writer in self.writers))
        for writer, count in zip(self.writers, actions):
            writer.actions = count

    def disconnect(self):
        """Takes the acknowledgements that the dead server had sent, and closes the connections."""
        for writer in self.writers:
            if writer.channel:
                writer.channel.socket.settimeout(1)
                while self._receive(writer):
                    pass
            writer.lose_channel()

    def _turn(self, now, end):
        """How long to wait for answers before something else is due, in seconds."""
        longest = 0.001 if self.pace else 0.5
        return longest if end is None else min(longest, max(0.0, end - now))

    def _send(self, writer, new):
        numbers = writer.take(self.depth, new)
        if numbers:
            self.record.sent.update((writer.number, number) for number in numbers)
            try:
                writer.channel.send(numbers)
            except OSError:
                # The end of the connection is noticed where its answers are read.
                pass

    def _receive(self, writer):
        """Takes what has come; false at the end of the connection."""
        try:
            data = writer.channel.socket.recv(1 << 16)
        except OSError:
            return False
        if not data:
            return False
        for number in writer.channel.acknowledgements(data):
            # JetStream need not answer in the order of the actions.
            if writer.waiting[0] == number:
                writer.waiting.popleft()
            else:
                writer.waiting.remove(number)
            self.record.acknowledged.add((writer.number, number))
        return True
