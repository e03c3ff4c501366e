// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK
private import Synchronization

/// Puts what comes in at a member into the partitions; a batch is acknowledged when the engine has it.
///
/// Every action carries the name of this inlet and a number that grows, so that a batch whose answer was lost may be sent again:
/// partitions take each only once. Callable from any thread; batches go one after the other.
public final class ClusterInlet: Sendable {
    /// What the lock guards.
    private struct State {
        /// Knows where each action belongs.
        var keys: ActionKeys
        /// The connection; nil before the first batch and after one that was lost.
        var connection: Connection?
        /// The number of the last action.
        var sequence: UInt64 = 0
        /// The memory of the batch before.
        var batch = ClusterBatch()
        /// The bytes of an action that is written, and not sent as it came.
        var bytes: [UInt8] = []
    }

    /// A connection.
    ///
    /// `@unchecked Sendable`: made and used under the lock.
    private struct Connection: @unchecked Sendable {
        /// What is connected.
        let engine: any ClusterEngine
    }

    /// Makes connections.
    private let cluster: any Cluster
    /// How many partitions there are.
    private let partitions: Int
    /// The name of this inlet, which no other one has.
    private let name: String
    /// Asks for the end, and so for giving up.
    private let stop: StopRequest
    /// Told what an operator should know.
    private let report: @Sendable (ClusterNotice) -> Void
    /// The lock is held while a batch is on its way.
    private let state: Mutex<State>
    /// Actions that the engine has confirmed.
    private let appended = Atomic(0)

    /// An inlet of a member.
    init(
        of member: String, life: String, into cluster: any Cluster, by keys: ActionKeys, partitions: Int,
        stop: StopRequest,
        report: @escaping @Sendable (ClusterNotice) -> Void
    ) {
        self.cluster = cluster
        self.partitions = partitions
        state = Mutex(State(keys: keys))
        self.stop = stop
        self.report = report
        name = "\(member).\(life)"
    }

    /// How many actions were put into partitions.
    var count: Int { appended.load(ordering: .relaxed) }

    /// Puts accepted actions into their partitions, and waits until the engine has them, however long that takes.
    ///
    /// - Parameter here: takes those that are for the host itself, in their order.
    /// - Throws: when the run is asked to end while the engine cannot be reached, or is full, and when going on would be wrong.
    func append(_ accepted: inout AcceptedActions, here: (AnyAction, ActionSource) -> Void)
        throws(ClusterFailure)
    {
        var own: [(AnyAction, ActionSource)] = []
        try locked { state throws(ClusterFailure) in
            accepted.takeAll { action, text, source in
                guard let partition = state.keys.partition(of: action) else {
                    return own.append((action, source))
                }
                let bytes = unsafe text.bytes
                if unsafe bytes.isEmpty {
                    add(action, to: partition, &state)
                } else {
                    state.sequence += 1
                    unsafe state.batch.add(
                        bytes, to: partition,
                        from: ClusterOrigin(source: name, epoch: 0, sequence: state.sequence))
                }
            }
            try send(&state)
        }
        for (action, source) in own { here(action, source) }
    }

    /// Puts actions into their partitions; see above.
    func append(_ actions: [AnyAction]) throws(ClusterFailure) {
        try locked { state throws(ClusterFailure) in
            for action in actions {
                if let partition = state.keys.partition(of: action) { add(action, to: partition, &state) }
            }
            try send(&state)
        }
    }

    /// Puts an action into every partition; for what is said to all of them.
    func appendToAll(_ action: AnyAction) throws(ClusterFailure) {
        try locked { state throws(ClusterFailure) in
            for partition in 0..<partitions { add(action, to: partition, &state) }
            try send(&state)
        }
    }

    /// Does something with the state to itself.
    private func locked(_ body: (inout State) throws(ClusterFailure) -> Void) throws(ClusterFailure) {
        try state.withLock { state in
            Result { () throws(ClusterFailure) in try body(&state) }
        }.get()
    }

    /// Writes an action into the batch; one without a wire form is told, and left out.
    private func add(_ action: AnyAction, to partition: Int, _ state: inout State) {
        state.bytes.removeAll(keepingCapacity: true)
        do {
            try action.writeWireForm(to: &state.bytes)
        } catch {
            return report(.unwritable(type: action.type.name, "\(error)"))
        }
        state.sequence += 1
        let origin = ClusterOrigin(source: name, epoch: 0, sequence: state.sequence)
        unsafe state.bytes.withUnsafeBytes { unsafe state.batch.add($0, to: partition, from: origin) }
    }

    /// Sends a batch, again and again until the engine has it.
    private func send(_ state: inout State) throws(ClusterFailure) {
        guard !state.batch.isEmpty else { return }
        defer { state.batch.removeAll(keepingCapacity: true) }
        var patience = ClusterPatience(stop, report)
        while true {
            do throws(ClusterFailure) {
                let known = state.connection
                let connection: Connection
                if let known {
                    connection = known
                } else {
                    connection = Connection(engine: try cluster.connect())
                }
                state.connection = connection
                try connection.engine.append(state.batch)
                appended.add(state.batch.count, ordering: .relaxed)
                return patience.end()
            } catch {
                if error.endsConnection { state.connection = nil }
                try patience.wait(after: error)
            }
        }
    }
}
