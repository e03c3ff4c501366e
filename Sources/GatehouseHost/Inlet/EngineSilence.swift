// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster

/// The time in which an engine does not do what is asked of it; told when it begins, when somebody is not let in any more, and when it is
/// over.
struct EngineSilence {
    /// Told what an operator should know.
    private let report: @Sendable (ClusterNotice) -> Void
    /// Since when it lasts; nil while the engine answers.
    private var since: ContinuousClock.Instant?
    /// What was told of it last; nil while the engine answers.
    private var told: ClusterFailure?

    /// An engine that does what it is asked.
    init(_ report: @escaping @Sendable (ClusterNotice) -> Void) { self.report = report }

    /// Takes note of something that was not done; false when what was told before is enough.
    @discardableResult
    mutating func begin(_ failure: ClusterFailure) -> Bool {
        guard isNews(failure) else { return false }
        since = since ?? .now
        told = failure
        report(.held(failure))
        return true
    }

    /// Whether a failure says more than what was told last: a connection that was lost may be one that is not let in again.
    private func isNews(_ failure: ClusterFailure) -> Bool {
        guard let told else { return true }
        if case .denied = failure { return failure != told }
        return false
    }

    /// Takes note of something that was done; false when there was no silence.
    @discardableResult
    mutating func end() -> Bool {
        guard let since else { return false }
        self.since = nil
        told = nil
        report(.goesOn(after: since.duration(to: .now)))
        return true
    }
}
