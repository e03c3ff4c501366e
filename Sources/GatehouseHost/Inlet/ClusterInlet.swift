// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Puts what comes in at a member into the partitions; it is to be acknowledged when the engine has it, which `finish` waits for.
///
/// Every action carries the name of this inlet and a number that grows, so that a batch whose answer was lost may be sent again:
/// partitions take each only once. Callable from any thread; batches go one after the other.
public final class ClusterInlet: Sendable {
    /// What the lock guards.
    private struct State {
        /// Knows where each action belongs.
        var keys: ActionKeys
        /// The number of the last action.
        var sequence: UInt64 = 0
        /// What was not given to the carrier.
        var batch = ClusterBatch()
        /// The bytes of an action that is written, and not sent as it came.
        var bytes: [UInt8] = []
    }

    /// Takes batches to the engine.
    private let carrier: ClusterCarrier
    /// How many partitions there are.
    private let partitions: Int
    /// The name of this inlet, which no other one has.
    private let name: String
    /// Told what an operator should know.
    private let report: @Sendable (ClusterNotice) -> Void
    /// The lock is held until the carrier has taken a batch, so that they go in the order of their numbers.
    private let state: Mutex<State>

    /// An inlet of a member.
    init(
        of member: String, life: String, into cluster: any Cluster, by keys: ActionKeys, partitions: Int,
        stop: StopRequest, report: @escaping @Sendable (ClusterNotice) -> Void
    ) {
        carrier = ClusterCarrier(to: cluster, stop: stop, report: report)
        self.partitions = partitions
        state = Mutex(State(keys: keys))
        self.report = report
        name = "\(member).\(life)"
    }

    /// How many actions were put into partitions.
    var count: Int { carrier.count }

    /// Puts accepted actions on their way into their partitions; waits for those before them, however long that takes.
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
            try handOver(&state)
        }
        for (action, source) in own { here(action, source) }
    }

    /// Puts actions into their partitions, and waits until the engine has them.
    func append(_ actions: [AnyAction]) throws(ClusterFailure) {
        try locked { state throws(ClusterFailure) in
            for action in actions {
                if let partition = state.keys.partition(of: action) { add(action, to: partition, &state) }
            }
            try handOver(&state)
        }
        try finish()
    }

    /// Puts an action into every partition, for what is said to all of them, and waits until the engine has it.
    func appendToAll(_ action: AnyAction) throws(ClusterFailure) {
        try locked { state throws(ClusterFailure) in
            for partition in 0..<partitions { add(action, to: partition, &state) }
            try handOver(&state)
        }
        try finish()
    }

    /// Waits until the engine has everything that was put on its way.
    ///
    /// - Throws: why it has not.
    func finish() throws(ClusterFailure) { try carrier.finish() }

    /// Does something with the state to itself.
    private func locked(_ body: (inout State) throws(ClusterFailure) -> Void) throws(ClusterFailure) {
        try state.withLock { state in
            Result { () throws(ClusterFailure) in try body(&state) }
        }.get()
    }

    /// Gives the batch to the carrier.
    private func handOver(_ state: inout State) throws(ClusterFailure) {
        if !state.batch.isEmpty { try carrier.take(&state.batch) }
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
}
