// SPDX-License-Identifier: Apache-2.0

/// Announces work that keeps its thread for long, such as a migration of much data, so that nobody takes the host for hanging.
///
/// Under a supervisor a host is ended in which a call of a plugin, or all threads for tasks, have not come back for 30 s, unless the
/// operator has configured another time. The time of announced work does not count. Work that can be cut into pieces, or awaits
/// something, needs no announcement.
///
/// ```swift
/// let index = try context.longWork(upTo: .seconds(120)) { try Index(reading: file) }
/// ```
public struct LongWork: Sendable {
    /// The longest time that can be announced at once; more counts as this.
    public static let longest = Duration.seconds(3_600)

    /// Takes note of work; gives what ends it.
    private let begin: @Sendable (Duration) -> @Sendable () -> Void

    /// An announcer that hands times, of at most `longest`, to a closure, and calls what it gives when the work is done; outside of a
    /// host nobody waits for signs of life.
    public init(_ begin: @escaping @Sendable (Duration) -> @Sendable () -> Void = { _ in {} }) {
        self.begin = begin
    }

    /// Does work that takes at most so long; callable from any thread.
    ///
    /// When the time is over before the work is, the host may be ended as soon as its usual patience is over too.
    public func callAsFunction<Result, Failure: Error>(
        upTo limit: Duration, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let end = announce(upTo: limit)
        defer { end() }
        return try work()
    }

    /// Announces work; gives what ends the announcement, callable from any thread.
    ///
    /// - Parameter limit: how long the work may take.
    public func announce(upTo limit: Duration) -> @Sendable () -> Void {
        begin(min(max(limit, .zero), Self.longest))
    }
}
