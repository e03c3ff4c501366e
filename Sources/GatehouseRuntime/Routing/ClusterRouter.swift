// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
package import GatehouseSDK
package import GatehouseSupport
private import Synchronization

/// Appends a member's input to the partitions; input may be acknowledged once the engine has it, which `finish` waits for.
///
/// Every action carries the name of this router and an increasing number, so that a batch whose answer was lost may be sent again:
/// partitions take each only once. Callable from any thread; batches go one after the other.
package final class ClusterRouter: Sendable {
    /// The state guarded by the lock.
    private struct State {
        /// Determines the partition of each action.
        var keys: ActionKeys
        /// The number of the last action.
        var sequence: UInt64 = 0
        /// The batch not yet given to the sender.
        var batch = ClusterBatch()
        /// The bytes of an action that must be encoded.
        var bytes: [UInt8] = []

        /// The origin of one more action of a source.
        mutating func nextOrigin(_ source: String) -> ClusterOrigin {
            sequence += 1
            return ClusterOrigin(source: source, epoch: 0, sequence: sequence)
        }
    }

    /// Sends batches to the engine.
    private let sender: ClusterSender
    /// The number of partitions.
    private let partitions: Int
    /// The unique name of this router.
    private let name: String
    /// Reports to the operator.
    private let report: @Sendable (ClusterNotice) -> Void
    /// Locked until the sender has taken a batch, so that batches go in the order of their numbers.
    private let state: Mutex<State>

    /// Creates the router of a member.
    ///
    /// - Parameter outage: tells the operator of an engine that does not answer; nil where nobody else of the member asks it.
    package init(
        of member: String, life: String, into cluster: any Cluster, by keys: ActionKeys, partitions: Int,
        stop: StopRequest, outage: EngineOutage? = nil, report: @escaping @Sendable (ClusterNotice) -> Void
    ) {
        sender = ClusterSender(to: cluster, stop: stop, outage ?? EngineOutage(report))
        self.partitions = partitions
        state = Mutex(State(keys: keys))
        self.report = report
        name = "\(member).\(life)"
    }

    /// The number of actions appended to partitions.
    package var count: Int { sender.count }

    /// Why the engine does not take input; nil while it does.
    package var trouble: ClusterFailure? { sender.trouble }

    /// Sets what is told, on any thread, when the engine has not taken input for some time, and when it does again, with nil.
    package func onSilence(_ body: @escaping @Sendable (ClusterFailure?) -> Void) { sender.onSilence(body) }

    /// Starts appending accepted actions to their partitions; waits for earlier ones, however long that takes.
    ///
    /// - Parameter here: takes those for the host itself, in their order.
    /// - Throws: when the end is requested while the engine is unreachable or full, or when continuing would be wrong.
    package func append(_ accepted: inout AcceptedActions, here: (AnyAction, ActionSource) -> Void)
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
                    unsafe state.batch.add(bytes, to: partition, from: state.nextOrigin(name))
                }
            }
            try handOver(&state)
        }
        for (action, source) in own { here(action, source) }
    }

    /// Appends actions to their partitions, and waits until the engine has them.
    package func append(_ actions: [AnyAction]) throws(ClusterFailure) {
        try locked { state throws(ClusterFailure) in
            for action in actions {
                if let partition = state.keys.partition(of: action) { add(action, to: partition, &state) }
            }
            try handOver(&state)
        }
        try finish()
    }

    /// Appends an action to every partition, and waits until the engine has it.
    package func appendToAll(_ action: AnyAction) throws(ClusterFailure) {
        try locked { state throws(ClusterFailure) in
            for partition in 0..<partitions { add(action, to: partition, &state) }
            try handOver(&state)
        }
        try finish()
    }

    /// Waits until the engine has all appended actions.
    ///
    /// - Throws: why it has not.
    package func finish() throws(ClusterFailure) { try sender.finish() }

    /// Runs a closure with exclusive access to the state.
    private func locked(_ body: (inout State) throws(ClusterFailure) -> Void) throws(ClusterFailure) {
        try state.withLock { state in
            Result { () throws(ClusterFailure) in try body(&state) }
        }.get()
    }

    /// Gives the batch to the sender.
    private func handOver(_ state: inout State) throws(ClusterFailure) {
        if !state.batch.isEmpty { try sender.take(&state.batch) }
    }

    /// Adds an action to the batch; one without a wire form is reported and left out.
    private func add(_ action: AnyAction, to partition: Int, _ state: inout State) {
        state.bytes.removeAll(keepingCapacity: true)
        do {
            try action.writeWireForm(to: &state.bytes)
        } catch {
            return report(.unwritable(type: action.type.name, "\(error)"))
        }
        let origin = state.nextOrigin(name)
        unsafe state.bytes.withUnsafeBytes { unsafe state.batch.add($0, to: partition, from: origin) }
    }
}
