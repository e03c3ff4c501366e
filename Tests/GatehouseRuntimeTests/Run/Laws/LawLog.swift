// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Everything that happened in one run of a chain, in order; the law test compares two of them.
final class LawLog: Sendable {
    /// The log of the run that is being assembled; parts of a plugin keep the one they are made under.
    @TaskLocal static var current = LawLog()

    /// One line for each event.
    private let lines = Mutex<[String]>([])

    /// Adds an event.
    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// All events so far.
    var entries: [String] { lines.withLock { $0 } }
}
