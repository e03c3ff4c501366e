// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK

/// What the host and its instances have done so far.
package struct HostCounts: Equatable, Sendable {
    /// Actions processed, those that instances emitted included.
    package private(set) var actions: Int
    /// What came to nothing in instances, those that have gone included.
    private var losses: Losses
    /// The types of input that nobody hears.
    package private(set) var unheard: UnheardTypes

    /// How often one instance failed.
    package struct Failures: Equatable, Sendable {
        /// The id of the instance.
        package let instance: String
        /// The actions that it said it had not done; at least one.
        package let count: Int
    }

    /// What each instance has done, in chain order.
    package private(set) var instances: [InstanceCounts]
    /// Inputs that led to more outputs than they may.
    package private(set) var cutInputs: Int
    /// Outputs that were dropped there.
    package private(set) var cutOutputs: Int

    /// Reads the counts of a generation and of its queue; called in the drain.
    init(_ generation: Generation, _ cuts: (inputs: Int, dropped: Int)) {
        cutInputs = cuts.inputs
        cutOutputs = cuts.dropped
        actions = generation.progress.actions
        losses = generation.store.past
        for instance in generation.instances { losses.add(instance) }
        unheard = generation.unheard
        instances = generation.instances.map(InstanceCounts.init)
    }

    /// Outputs that closed gates dropped.
    package var droppedOutputs: Int { losses.droppedOutputs }
    /// Outputs that instances may not emit, and actions that their interceptors may not change to what they did.
    package var refusedOutputs: Int { losses.refusedOutputs }
    /// Outputs that came when their instances had gone, and went nowhere.
    package var lateOutputs: Int { losses.lateOutputs }
    /// Actions that interceptors stopped, or have not let pass yet.
    package var stoppedActions: Int { losses.stoppedActions }

    /// Instances that said of actions that they had not done them, in chain order; after them those that have gone.
    package var failures: [Failures] {
        let chain = instances.map(\.instance)
        let gone = losses.failures.keys.filter { !chain.contains($0) }.sorted()
        return (chain + gone).compactMap { id in
            losses.failures[id].map { Failures(instance: id, count: $0) }
        }
    }

    /// What stays of it when the store has gone.
    package var past: HostCounts {
        var past = self
        past.instances = instances.map(\.past)
        return past
    }

    /// The same with what another store of the process has counted; instances of one id are added up.
    package func adding(_ other: HostCounts) -> HostCounts {
        var sum = self
        sum.actions += other.actions
        sum.losses.add(other.losses)
        sum.cutInputs += other.cutInputs
        sum.cutOutputs += other.cutOutputs
        for more in other.instances {
            if let place = sum.instances.firstIndex(where: { $0.instance == more.instance }) {
                sum.instances[place].add(more)
            } else {
                sum.instances.append(more)
            }
        }
        if sum.unheard.count < other.unheard.count { sum.unheard = other.unheard }
        return sum
    }
}

extension Generation {
    /// What the host tells of itself in its slice `/host`, made when somebody looks; in the drain.
    var hostSlice: Value {
        var members: Members = [
            "generation": Value(number), "deadLetters": Value(store.dependencies.letters.counts.kept),
            "instances": .object(Members(instances.map { ($0.id, $0.hostValue) })),
        ]
        members["degraded"] = store.configuration.degraded.map { .string($0) }
        if let reload = store.configuration.lastReload { members["lastReload"] = reload }
        return .object(members)
    }
}

extension Instance {
    /// What the host tells of the instance.
    fileprivate var hostValue: Value {
        guard case .object(var members) = InstanceCounts(self).value else { return .null }
        members["plugin"] = .string(manifest.id)
        members["version"] = .string("\(manifest.version)")
        members["gate"] = .string(gate.word)
        members["quarantine"] = planned.quarantine.map { .string($0) }
        members["standing"] = standing?.value.members
        if !slice.isEmpty { members["slice"] = .string("\(slicePointer)") }
        return .object(members)
    }
}
