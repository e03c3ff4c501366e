// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseCluster
internal import GatehouseSupport
private import Synchronization

/// A thread that takes batches to the engine, one after the other, while the next one is being filled.
///
/// There is never a second one on its way: if the engine refused the first and took the second, the first would look like a
/// duplicate when it is sent again. A batch is sent until the engine has it, unless that is hopeless or the run is to end.
final class ClusterCarrier: Sendable {
    /// What the lock guards.
    private struct State {
        /// What is to be taken; empty while nothing is.
        var batch = ClusterBatch()
        /// The memory of the batch before.
        var spare = ClusterBatch()
        /// Why nothing can be taken there any more; nil as long as it can.
        var failure: ClusterFailure?
        /// Whether the thread was started.
        var isStarted = false
    }

    /// Makes connections.
    private let cluster: any Cluster
    /// Asks for the end, and so for giving up.
    private let stop: StopRequest
    /// Told what an operator should know.
    private let report: @Sendable (ClusterNotice) -> Void
    /// What is on its way; not held while it is.
    private let state = Mutex(State())
    /// Signalled when a batch is to be taken.
    private let work = DispatchSemaphore(value: 0)
    /// Signalled when nothing is on its way.
    private let rest = DispatchSemaphore(value: 1)
    /// Actions that the engine has confirmed.
    private let confirmed = Atomic(0)

    /// A carrier with nothing to carry.
    init(
        to cluster: any Cluster, stop: StopRequest, report: @escaping @Sendable (ClusterNotice) -> Void
    ) {
        self.cluster = cluster
        self.stop = stop
        self.report = report
    }

    /// How many actions the engine has confirmed.
    var count: Int { confirmed.load(ordering: .relaxed) }

    /// Waits until nothing is on its way, and takes a batch, in whose place an empty one is left.
    ///
    /// - Throws: why what was taken before is not there, and this is not taken.
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

    /// Waits until nothing is on its way.
    ///
    /// - Throws: why something is not there.
    func finish() throws(ClusterFailure) {
        rest.wait()
        defer { rest.signal() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Takes batches to the engine until one cannot be taken there.
    private func run() {
        let connection = ClusterConnection(to: cluster)
        while carry(by: connection) {}
    }

    /// Waits for a batch and takes it to the engine; false when it cannot be taken there, and no other one will be.
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

    /// Sends a batch, again and again until the engine has it.
    private func send(_ batch: ClusterBatch, by connection: ClusterConnection) throws(ClusterFailure) {
        var patience = ClusterPatience(stop, report)
        while true {
            do throws(ClusterFailure) {
                try connection.use { engine throws(ClusterFailure) in try engine.append(batch) }
                return patience.end()
            } catch {
                try patience.wait(after: error)
            }
        }
    }
}
