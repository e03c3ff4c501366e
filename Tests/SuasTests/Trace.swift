// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import Gatehouse

/// What happened, in order; written by middlewares, reducers and listeners under test, from any thread.
final class Trace: Sendable {
    private let entries = Lock<[String]>([])

    /// Adds one line at the end.
    func add(_ line: String) {
        entries.withLock { $0.append(line) }
    }

    /// The lines that were written so far.
    var lines: [String] { entries.withLock { $0 } }
}
