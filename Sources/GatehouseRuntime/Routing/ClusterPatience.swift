// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSupport

/// Retries failed calls to an engine after increasing pauses, and reports that once.
struct ClusterPatience {
    /// The request to end.
    private let stop: StopRequest
    /// The time in which the engine fails.
    private var silence: EngineSilence
    /// The pause before the next try, in milliseconds.
    private var pause: Int32 = 20

    /// Creates patience not needed yet.
    init(_ stop: StopRequest, _ report: @escaping @Sendable (ClusterNotice) -> Void) {
        self.stop = stop
        silence = EngineSilence(report)
    }

    /// Waits for the next try.
    ///
    /// - Throws: the failure, when another try would not help, or the end is requested.
    mutating func wait(after failure: ClusterFailure) throws(ClusterFailure) {
        guard failure.mayPass, !stop.isAsked else { throw failure }
        silence.begin(failure)
        stop.wait(atMost: pause)
        pause = min(pause * 2, 1_000)
    }

    /// Records a success.
    mutating func end() { silence.end() }
}
