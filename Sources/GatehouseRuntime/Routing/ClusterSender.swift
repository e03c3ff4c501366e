// SPDX-License-Identifier: Apache-2.0

private import Dispatch
package import GatehouseCluster
package import GatehouseSupport
private import Synchronization

/// A thread that sends batches to the engine, one after the other, while the next one is being filled.
///
/// At most one batch is in flight: if the engine refused the first and took the second, the first would look like a
/// duplicate when it is sent again. A batch is sent until the engine has it, unless that is hopeless or the run must end.
final class ClusterSender: Sendable {
    /// The state guarded by the lock.
    private struct State {
        /// The batch to send; empty without one.
        var batch = ClusterBatch()
        /// The memory of the previous batch.
        var spare = ClusterBatch()
        /// Why nothing can be sent any more; nil while it can.
        var failure: ClusterFailure?
        /// Why the batch in flight is sent again and again; nil while none is.
        var trouble: ClusterFailure?
        /// Whether the thread was started.
        var isStarted = false
    }

    /// How long a batch may be sent again before those who wait for it are told.
    private static let mostSilence = Duration.seconds(3)

    /// Makes connections.
    private let cluster: any Cluster
    /// The request to end, and so to give up.
    private let stop: StopRequest
    /// Tells the operator of an engine that does not answer.
    private let outage: EngineOutage
    /// The batches; the lock is not held during sending.
    private let state = Mutex(State())
    /// Signalled when a batch must be sent.
    private let work = DispatchSemaphore(value: 0)
    /// Signalled when nothing is in flight.
    private let rest = DispatchSemaphore(value: 1)
    /// The number of actions that the engine has confirmed.
    private let confirmed = Atomic(0)

    /// Creates an idle sender.
    init(to cluster: any Cluster, stop: StopRequest, _ outage: EngineOutage) {
        self.cluster = cluster
        self.stop = stop
        self.outage = outage
    }

    /// Called when a batch could not be sent for some time, with the reason, and when it could, with nil; on the thread that sends.
    private let onSilence = Mutex<(@Sendable (ClusterFailure?) -> Void)?>(nil)

    /// Sets what is told of a longer silence of the engine.
    func onSilence(_ body: @escaping @Sendable (ClusterFailure?) -> Void) { onSilence.withLock { $0 = body } }

    /// Why the engine does not take what is sent; nil while it does.
    var trouble: ClusterFailure? { state.withLock { $0.failure ?? $0.trouble } }

    /// The number of actions that the engine has confirmed.
    var count: Int { confirmed.load(ordering: .relaxed) }

    /// Waits until nothing is in flight, and takes a batch, leaving an empty one in its place.
    ///
    /// - Throws: why earlier batches failed, in which case this one is not taken.
    func take(_ batch: inout ClusterBatch) throws(ClusterFailure) {
        rest.wait()
        let (failure, isFirst) = state.withLock { state in
            defer { state.isStarted = true }
            if state.failure == nil {
                (state.batch, batch, state.spare) = (batch, state.spare, ClusterBatch())
            }
            return (state.failure, !state.isStarted)
        }
        if let failure {
            rest.signal()
            throw failure
        }
        if isFirst { BackgroundThread.perform { [self] in run() } }
        work.signal()
    }

    /// Waits until nothing is in flight.
    ///
    /// - Throws: why a batch failed.
    func finish() throws(ClusterFailure) {
        rest.wait()
        defer { rest.signal() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Sends batches until one fails.
    private func run() {
        let connection = ClusterConnection(to: cluster)
        while carry(by: connection) {}
    }

    /// Waits for a batch and sends it; false when it fails, and no further one can be sent.
    @inline(never)
    private func carry(by connection: ClusterConnection) -> Bool {
        work.wait()
        var batch = state.withLock { state in
            defer { state.batch = ClusterBatch() }
            return state.batch
        }
        defer { rest.signal() }
        do throws(ClusterFailure) {
            try send(batch, by: connection)
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
        confirmed.add(batch.count, ordering: .relaxed)
        batch.removeAll(keepingCapacity: true)
        state.withLock { [batch] in $0.spare = batch }
        return true
    }

    /// Sends a batch, retrying until the engine has it.
    private func send(_ batch: ClusterBatch, by connection: ClusterConnection) throws(ClusterFailure) {
        var patience = ClusterPatience(stop, outage)
        let start = ContinuousClock.now
        var isTold = false
        defer {
            state.withLock { $0.trouble = nil }
            if isTold { onSilence.withLock { $0 }?(nil) }
        }
        while true {
            do throws(ClusterFailure) {
                try connection.use { engine throws(ClusterFailure) in try engine.append(batch) }
                return patience.end()
            } catch {
                state.withLock { $0.trouble = error }
                if start.duration(to: .now) >= Self.mostSilence {
                    isTold = true
                    onSilence.withLock { $0 }?(error)
                }
                try patience.wait(after: error)
            }
        }
    }
}

/// Retries failed calls to an engine after increasing pauses, and reports that once.
package struct ClusterPatience {
    /// The request to end.
    private let stop: StopRequest
    /// The time in which the engine fails.
    private var silence: EngineSilence
    /// The pause before the next try, in milliseconds.
    private var pause: Int32 = 20

    /// Creates patience not needed yet.
    package init(_ stop: StopRequest, _ outage: EngineOutage) {
        self.stop = stop
        silence = EngineSilence(in: outage)
    }

    /// Waits for the next try.
    ///
    /// - Throws: the failure, when another try would not help, or the end is requested.
    package mutating func wait(after failure: ClusterFailure) throws(ClusterFailure) {
        guard failure.mayPass, !stop.isAsked else { throw failure }
        silence.begin(failure)
        stop.wait(atMost: pause)
        pause = min(pause * 2, 1_000)
    }

    /// Records a success.
    package mutating func end() { silence.end() }
}
