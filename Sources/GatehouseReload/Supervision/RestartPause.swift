// SPDX-License-Identifier: Apache-2.0

/// The pause before a supervisor restarts the host: doubles each time, up to a minute.
package struct RestartPause: Sendable {
    /// The pause after the first crash, in seconds.
    private let first: Int
    /// The next pause, in seconds.
    private var next: Int

    /// The longest pause, in seconds.
    package static let longest = 60
    /// The run time after which a host starts again with the first pause.
    package static let patience = Duration.seconds(600)

    /// Creates pauses that start with a number of seconds; 0 for none at all.
    package init(first: Int) {
        self.first = first
        next = first
    }

    /// Returns the pause, in seconds, after the death of a host that ran for a time.
    package mutating func after(running time: Duration) -> Int {
        if time >= Self.patience { next = first }
        defer { next = min(next * 2, Self.longest) }
        return next
    }
}
