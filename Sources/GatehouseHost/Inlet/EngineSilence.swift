// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster

/// The time in which an engine does not do what is asked of it; told when it begins and when it is over.
struct EngineSilence {
    /// Told what an operator should know.
    private let report: @Sendable (ClusterNotice) -> Void
    /// Since when it lasts; nil while the engine answers.
    private var since: ContinuousClock.Instant?

    /// An engine that does what it is asked.
    init(_ report: @escaping @Sendable (ClusterNotice) -> Void) { self.report = report }

    /// Takes note of something that was not done; false when it lasts already.
    @discardableResult
    mutating func begin(_ failure: ClusterFailure) -> Bool {
        guard since == nil else { return false }
        since = .now
        report(.held(failure))
        return true
    }

    /// Takes note of something that was done; false when there was no silence.
    @discardableResult
    mutating func end() -> Bool {
        guard let since else { return false }
        self.since = nil
        report(.goesOn(after: since.duration(to: .now)))
        return true
    }
}
