// SPDX-License-Identifier: Apache-2.0

/// What the host and its instances have done so far.
package struct HostCounts: Equatable, Sendable {
    /// Actions processed, those that instances emitted included.
    package private(set) var actions: Int
    /// Outputs that closed gates dropped.
    package private(set) var droppedOutputs: Int
    /// Outputs that came when their instances had gone, and went nowhere.
    package private(set) var lateOutputs: Int
    /// Outputs that instances may not emit, and actions that their interceptors may not change to what they did.
    package private(set) var refusedOutputs: Int
    /// Actions that interceptors stopped, or have not let pass yet.
    package private(set) var stoppedActions: Int
    /// Instances that said of actions that they had not done them, in chain order; after them those that have gone.
    package private(set) var failures: [Failures]
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
    package init(_ generation: Generation, _ cuts: (inputs: Int, dropped: Int)) {
        cutInputs = cuts.inputs
        cutOutputs = cuts.dropped
        actions = generation.progress.actions
        let past = generation.store.past
        droppedOutputs = generation.instances.reduce(past.droppedOutputs) { $0 + $1.droppedOutputs }
        lateOutputs = generation.store.lateOutputs
        refusedOutputs = generation.instances.reduce(past.refusedOutputs) { $0 + $1.refusedOutputs }
        stoppedActions = generation.instances.reduce(past.stoppedActions) { $0 + $1.stoppedActions }
        let present = Set(generation.instances.map(\.id))
        let all =
            generation.instances.map { ($0.id, $0.failures + (past.failures[$0.id] ?? 0)) }
            + past.failures.filter { !present.contains($0.key) }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
        failures = all.filter { $0.1 > 0 }.map { Failures(instance: $0.0, count: $0.1) }
        unheard = generation.unheard
        instances = generation.instances.map(InstanceCounts.init)
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
        sum.droppedOutputs += other.droppedOutputs
        sum.lateOutputs += other.lateOutputs
        sum.refusedOutputs += other.refusedOutputs
        sum.stoppedActions += other.stoppedActions
        sum.cutInputs += other.cutInputs
        sum.cutOutputs += other.cutOutputs
        for more in other.failures {
            if let place = sum.failures.firstIndex(where: { $0.instance == more.instance }) {
                sum.failures[place] = Failures(
                    instance: more.instance, count: sum.failures[place].count + more.count)
            } else {
                sum.failures.append(more)
            }
        }
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
