// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster

/// A period in which an engine fails requests; reported when it begins, when access is denied, and when it ends.
package struct EngineSilence {
    /// Reports to the operator.
    private let report: @Sendable (ClusterNotice) -> Void
    /// The beginning of the period; nil while the engine answers.
    private var since: ContinuousClock.Instant?
    /// The failure last reported; nil while the engine answers.
    private var told: ClusterFailure?

    /// Creates the silence of an engine that answers.
    package init(_ report: @escaping @Sendable (ClusterNotice) -> Void) { self.report = report }

    /// Records a failure; false if an earlier report covers it.
    @discardableResult
    package mutating func begin(_ failure: ClusterFailure) -> Bool {
        guard isNews(failure) else { return false }
        since = since ?? .now
        told = failure
        report(.held(failure))
        return true
    }

    /// Whether a failure says more than the last report: a lost connection may turn out to be denied access.
    private func isNews(_ failure: ClusterFailure) -> Bool {
        guard let told else { return true }
        if case .denied = failure { return failure != told }
        return false
    }

    /// Records a success; false when there was no silence.
    @discardableResult
    package mutating func end() -> Bool {
        guard let since else { return false }
        self.since = nil
        told = nil
        report(.goesOn(after: since.duration(to: .now)))
        return true
    }
}
