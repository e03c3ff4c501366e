// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// A generation that is ready to take the place of the one that runs, and all that happens at that moment.
///
/// Made by one thread beside the drain, which then leaves it to the drain and waits.
package final class GenerationSwap {
    /// An instance that serves on under another part of the configuration.
    package struct Adaptation {
        /// The instance that serves on.
        package let instance: Instance
        /// What the configuration makes of it.
        package let planned: PlannedInstance
        /// The gate that it gets; nil to keep the one it has.
        package let gate: InstanceGate?

        /// A change of an instance that goes on serving.
        package init(instance: Instance, planned: PlannedInstance, gate: InstanceGate?) {
            self.instance = instance
            self.planned = planned
            self.gate = gate
        }
    }

    /// The generation that takes over.
    let next: Generation
    /// Those that serve on, changed.
    package let adaptations: [Adaptation]
    /// Those that are new, in chain order; with the state that each takes over.
    package let new: [StateTransfer]
    /// Those that only the generation before has, in its chain order.
    package let gone: [Instance]
    /// What changes in the plain state; nil for nothing.
    package let patch: Value?
    /// The plan of the generation that takes over; nil where it is not recorded.
    package let plan: RecordedPlan?

    /// Everything that is needed at that moment.
    package init(
        to links: [ChainLink], number: Int, in store: HostStore, adaptations: [Adaptation],
        new: [StateTransfer], gone: [Instance], patch: Value?, plan: RecordedPlan?
    ) {
        next = Generation(links, number: number, in: store)
        self.adaptations = adaptations
        self.new = new
        self.gone = gone
        self.patch = patch
        self.plan = plan
    }

    /// The number of the generation that takes over.
    package var number: Int { next.number }

    /// Makes the routes of types before anybody waits for them.
    package func prepareRoutes(for types: [ActionType]) { next.routes.prepare(for: types) }

    /// The instances whose states the swap makes, migrates or renames; those of the others are what they were.
    package var made: [Instance] {
        new.filter { transfer in
            guard let old = transfer.old else { return true }
            return old.id != transfer.instance.id || old.planned.digest != transfer.instance.planned.digest
                || transfer.isCaughtUp || old.slice.isEmpty != transfer.instance.slice.isEmpty
        }.map(\.instance)
    }

    /// Who begins what an instance that goes has not ended; nil for nobody.
    package func heir(of instance: Instance) -> Instance? {
        new.first { $0.old === instance }?.instance ?? next.instances.first { $0.id == instance.id }
    }

    /// Why a state cannot be handed over as things are now; nil when all can. Called in the drain.
    package var objection: Diagnostic? {
        do {
            try takeStates()
            return nil
        } catch {
            return error
        }
    }

    /// Gives all new instances their states; returns the plain state from then on.
    @discardableResult
    private func takeStates() throws(Diagnostic) -> Value {
        let tree = next.store.state.state
        var plain = tree.plain
        if let patch { plain.merge(patch) }
        for transfer in new {
            // A plugin that does not come back from here keeps the drain.
            try next.store.dependencies.pass.progress.during(.migrate, of: transfer.instance) {
                () throws(Diagnostic) in try transfer.finish(plain, kept: tree.kept)
            }
            transfer.stand(behind: next.lastSequence)
        }
        return plain
    }

    /// Hands over; called in the drain, between two actions.
    ///
    /// - Throws: why a state cannot be handed over; nothing has changed then, but that no later checkpoint of a worker that goes counts.
    package func perform() throws(Diagnostic) {
        let store = next.store
        let tree = store.state.state
        var unreduced: [ObjectIdentifier: [(action: AnyAction, time: Double?)]] = [:]
        for instance in gone { unreduced[ObjectIdentifier(instance)] = instance.worker?.hand() }
        var plain = try takeStates()
        for transfer in new {
            transfer.catchUp(in: store)
            if let actions = transfer.old.flatMap({ unreduced[ObjectIdentifier($0)] }) {
                transfer.reduce(actions, in: store)
            }
            guard let place = transfer.keptPlace, place != transfer.instance.slicePointer else { continue }
            plain.set(nil, at: place)
            tree.forget(at: place)
        }
        let replaced = Set(new.compactMap(\.old).map(ObjectIdentifier.init))
        for instance in gone where !replaced.contains(ObjectIdentifier(instance)) {
            // What belongs to a plugin that is gone is kept as it was.
            if let copy = StateCopy(of: instance) {
                plain.set(copy.state.value, at: instance.slicePointer)
                tree.keep(KeptSlice(of: instance), at: instance.slicePointer)
            }
        }
        for adaptation in adaptations {
            adaptation.instance.adapt(to: adaptation.planned, behind: adaptation.gate)
        }
        let slices = next.instances.filter { !$0.slice.isEmpty }.map {
            StateTree.Owned(pointer: $0.slicePointer, slice: $0.slice, instance: $0.id)
        }
        store.state.changing.settle(plain: plain, slices: slices)
        for transfer in new { tree.forget(at: transfer.instance.slicePointer) }
        for transfer in new { transfer.instance.connect(to: store) }
        store.run(next, lettingGo: gone)
        if let plan { store.onSwap?(next, plan, made, patch) }
        for instance in gone { next.inherit(from: instance, by: heir(of: instance)) }
        next.start(new.map(\.instance))
        next.beginUnfinished()
    }
}
