// SPDX-License-Identifier: Apache-2.0

/// How long a supervisor waits before it starts the host again: twice as long each time, up to a minute.
public struct RestartPause: Sendable {
    /// The pause after the first crash, in seconds.
    private let first: Int
    /// The next pause, in seconds.
    private var next: Int

    /// The longest pause, in seconds.
    public static let longest = 60
    /// A host that has run so long begins again with the first pause.
    public static let patience = Duration.seconds(600)

    /// Pauses that begin with some seconds; 0 for none at all.
    public init(first: Int) {
        self.first = first
        next = first
    }

    /// The pause, in seconds, after a host has died that has run so long.
    public mutating func after(running time: Duration) -> Int {
        if time >= Self.patience { next = first }
        defer { next = min(next * 2, Self.longest) }
        return next
    }
}
