// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster

/// A period in which an engine fails the requests of one part of a member.
package struct EngineSilence {
    /// Tells the operator.
    private let outage: EngineOutage
    /// The number of the part there.
    private let part: Int
    /// The failure that is known; nil while the engine answers.
    private var known: ClusterFailure?

    /// Creates the silence of an engine that answers.
    package init(in outage: EngineOutage) {
        self.outage = outage
        part = outage.part()
    }

    /// Records a failure; false if an earlier one says as much.
    @discardableResult
    package mutating func begin(_ failure: ClusterFailure) -> Bool {
        outage.fail(failure, part)
        guard isNews(failure) else { return false }
        known = failure
        return true
    }

    /// Whether a failure says more than the known one: a lost connection may turn out to be denied access.
    private func isNews(_ failure: ClusterFailure) -> Bool {
        guard let known else { return true }
        if case .denied = failure { return failure != known }
        return false
    }

    /// Records a success; false when there was no silence.
    @discardableResult
    package mutating func end() -> Bool {
        outage.succeed(part)
        defer { known = nil }
        return known != nil
    }
}
