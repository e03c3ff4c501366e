// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster

/// Tries again what an engine has not done, after pauses that grow, and tells of that once.
struct ClusterPatience {
    /// Ends the trying.
    private let stop: StopRequest
    /// Told what an operator should know.
    private let report: @Sendable (ClusterNotice) -> Void
    /// The pause before the next try, in milliseconds.
    private var pause: Int32 = 20
    /// Since when it does not go on; nil while it does.
    private var since: ContinuousClock.Instant?

    /// Patience that was not needed yet.
    init(_ stop: StopRequest, _ report: @escaping @Sendable (ClusterNotice) -> Void) {
        self.stop = stop
        self.report = report
    }

    /// Waits for the next try.
    ///
    /// - Throws: the failure, when another try would not help, or somebody has asked for the end.
    mutating func wait(after failure: ClusterFailure) throws(ClusterFailure) {
        guard failure.mayPass, !stop.isAsked else { throw failure }
        if since == nil {
            since = .now
            report(.held(failure))
        }
        stop.wait(atMost: pause)
        pause = min(pause * 2, 1_000)
    }

    /// Takes note that it goes on.
    mutating func end() {
        guard let since else { return }
        self.since = nil
        report(.goesOn(after: since.duration(to: .now)))
    }
}

extension ClusterFailure {
    /// Whether another connection is needed before anything else can be asked.
    var endsConnection: Bool {
        switch self {
        case .lost, .missing, .denied, .goneBack: true
        case .refused, .full, .superseded: false
        }
    }

    /// Whether the same may be done later.
    var mayPass: Bool {
        switch self {
        // Rights, passwords and certificates are mended while a member waits.
        case .lost, .full, .denied: true
        case .missing, .refused, .superseded, .goneBack: false
        }
    }
}
