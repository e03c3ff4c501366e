// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSupport

/// Tries again what an engine has not done, after pauses that grow, and tells of that once.
struct ClusterPatience {
    /// Ends the trying.
    private let stop: StopRequest
    /// The time in which the engine does not do it.
    private var silence: EngineSilence
    /// The pause before the next try, in milliseconds.
    private var pause: Int32 = 20

    /// Patience that was not needed yet.
    init(_ stop: StopRequest, _ report: @escaping @Sendable (ClusterNotice) -> Void) {
        self.stop = stop
        silence = EngineSilence(report)
    }

    /// Waits for the next try.
    ///
    /// - Throws: the failure, when another try would not help, or somebody has asked for the end.
    mutating func wait(after failure: ClusterFailure) throws(ClusterFailure) {
        guard failure.mayPass, !stop.isAsked else { throw failure }
        silence.begin(failure)
        stop.wait(atMost: pause)
        pause = min(pause * 2, 1_000)
    }

    /// Takes note that it was done.
    mutating func end() { silence.end() }
}
