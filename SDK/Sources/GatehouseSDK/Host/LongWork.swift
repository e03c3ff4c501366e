// SPDX-License-Identifier: Apache-2.0

/// Announces work that keeps its thread for long, such as a large migration, so that the host does not seem to hang.
///
/// A supervisor ends a host in which a plugin's call, or all threads for tasks, have not returned for 30 s, unless the operator
/// has configured another time. The time of announced work does not count. Work that can be cut into pieces, or awaits
/// something, needs no announcement.
///
/// ```swift
/// let index = try context.longWork(upTo: .seconds(120)) { try Index(reading: file) }
/// ```
public struct LongWork: Sendable {
    /// The longest time for one announcement; longer ones count as this.
    public static let longest = Duration.seconds(3_600)

    /// Starts an announcement; returns its end.
    private let begin: @Sendable (Duration) -> @Sendable () -> Void

    /// Passes times, of at most `longest`, to a closure, and calls its result when the work is done; outside of a host nobody
    /// waits for signs of life.
    public init(_ begin: @escaping @Sendable (Duration) -> @Sendable () -> Void = { _ in {} }) {
        self.begin = begin
    }

    /// Performs work that takes at most this long; callable from any thread.
    ///
    /// If the work exceeds the time, the host may be ended once its usual patience is over too.
    public func callAsFunction<Result, Failure: Error>(
        upTo limit: Duration, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let end = announce(upTo: limit)
        defer { end() }
        return try work()
    }

    /// Announces work; returns a function that ends the announcement, callable from any thread.
    ///
    /// - Parameter limit: how long the work may take.
    public func announce(upTo limit: Duration) -> @Sendable () -> Void {
        begin(min(max(limit, .zero), Self.longest))
    }
}
