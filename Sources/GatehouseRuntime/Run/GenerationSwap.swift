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
    /// What the configuration says about the state; nil where that comes back as it was.
    private let configured: Value?
    /// What changes in the plain state; nil for nothing.
    package let patch: Value?
    /// The plan of the generation that takes over; nil where it is not recorded.
    package let plan: RecordedPlan?
    /// The swap that this one undoes, because what it has started failed; nil where the next generation is a new one.
    private let undone: GenerationSwap?
    /// What there was before; nil until it is performed.
    private var before: Before?

    /// Everything that is needed at that moment.
    ///
    /// - Parameter undone: the swap that this one undoes; nil for none.
    package init(
        to links: [ChainLink], number: Int, in store: HostStore, adaptations: [Adaptation],
        new: [StateTransfer], gone: [Instance], configured: Value? = nil, patch: Value? = nil,
        plan: RecordedPlan?, undoing undone: GenerationSwap? = nil
    ) {
        self.undone = undone
        next = Generation(links, number: number, in: store)
        self.adaptations = adaptations
        self.new = new
        self.gone = gone
        self.configured = configured
        self.patch = patch
        self.plan = plan
    }

    /// The number of the generation that takes over.
    package var number: Int { next.number }

    /// Makes the routes of types before anybody waits for them.
    package func prepareRoutes(for types: [ActionType]) { next.routes.prepare(for: types) }

    /// The instances whose states the swap makes, migrates, renames or brings back, or takes over without what a worker that was given up has
    /// missed; those of the others are what the generation before makes of all its actions. Called in the drain.
    package var made: [Instance] {
        new.filter { transfer in
            // What comes back after a generation that failed may be in another form by now, or not be there.
            guard let old = transfer.old, !comesBack(transfer) else { return true }
            return old.id != transfer.instance.id || old.planned.digest != transfer.instance.planned.digest
                || transfer.isCaughtUp || old.worker?.isClosed != nil
                || old.slice.isEmpty != transfer.instance.slice.isEmpty
        }.map(\.instance)
    }

    /// What no instance owns, where a generation has come back that had given way; nil where that follows from the rest.
    var restored: PlainState? { undone?.before == nil ? nil : next.store.state.state.left }

    /// Who begins what an instance that goes has not ended; nil for nobody.
    package func heir(of instance: Instance) -> Instance? {
        let before = undone?.new.first { $0.instance === instance }?.old
        let id = before?.id ?? instance.id
        return new.first { $0.old === instance }?.instance ?? next.instances.first { $0.id == id }
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

    /// Gives all new instances their states; returns what no instance owns from then on.
    @discardableResult
    private func takeStates() throws(Diagnostic) -> PlainState {
        var left = next.store.state.state.left
        if let patch { left.plain.merge(patch) }
        if let undone, let before = undone.before {
            let present = left
            left = before.left
            // What cannot come back after all was kept when it went.
            for instance in undone.gone where !next.instances.contains(where: { $0.id == instance.id }) {
                left.plain.set(present.plain[instance.slicePointer], at: instance.slicePointer)
                left.kept[instance.slicePointer] = present.kept[instance.slicePointer]
            }
        }
        for transfer in new {
            // A plugin that does not come back from here keeps the drain.
            try next.store.dependencies.pass.progress.during(.migrate, of: transfer.instance) {
                () throws(Diagnostic) in try transfer.finish(left.plain, kept: left.kept)
            }
            transfer.stand(behind: next.lastSequence)
        }
        return left
    }

    /// Hands over; called in the drain, between two actions.
    ///
    /// - Throws: why a state cannot be handed over; nothing has changed then, but that no later checkpoint of a worker that goes counts.
    package func perform() throws(Diagnostic) {
        let store = next.store
        let tree = store.state.state
        var unreduced: Unreduced = [:]
        var standings: [ObjectIdentifier: Standing] = [:]
        for instance in gone {
            guard let handed = instance.worker?.hand() else { continue }
            unreduced[ObjectIdentifier(instance)] = handed.unreduced
            standings[ObjectIdentifier(instance)] = handed.standing
        }
        var left = try takeStates()
        if undone == nil {
            before = Before(
                tree.left, store.generation?.instances ?? [], unreduced: unreduced,
                configured: store.configuration.state)
        }
        // A snapshot has both, or neither: what is configured, and the state that follows from that.
        if let configured = configured ?? undone?.before?.configured {
            store.configuration.state = configured
        }
        let probation = undone == nil && !new.isEmpty ? Probation() : nil
        // Where the gates that come back stood; what has passed since moves them below.
        let gates = undone?.before?.gates ?? [:]
        for transfer in new {
            transfer.catchUp(in: store)
            if let old = transfer.old.map(ObjectIdentifier.init),
                let actions = unreduced[old] ?? undone?.before?.unreduced[old]
            {
                transfer.reduce(actions, in: store)
                if let standing = standings[old] { transfer.stand(as: standing) }
            }
            guard let place = transfer.keptPlace else { continue }
            left.plain.set(nil, at: place)
            left.kept[place] = nil
        }
        let replaced = Set(new.compactMap(\.old).map(ObjectIdentifier.init))
        for instance in gone where !replaced.contains(ObjectIdentifier(instance)) {
            // What belongs to a plugin that is gone is kept as it was; of what was tried in vain nothing is.
            if undone?.hasTried(instance, before: next) != true, let copy = StateCopy(of: instance) {
                left.plain.set(copy.state.value, at: instance.slicePointer)
                left.kept[instance.slicePointer] = KeptSlice(of: instance)
            }
        }
        for transfer in new {
            let instance = transfer.instance
            if !keepsGate(transfer), let position = gates[instance.id] { instance.moveGate(to: position) }
            if !instance.slice.isEmpty { left.kept[instance.slicePointer] = nil }
        }
        let adapted = Dictionary(
            uniqueKeysWithValues: adaptations.map { (ObjectIdentifier($0.instance), $0.planned) })
        let slices = next.instances.filter { !$0.slice.isEmpty }.map { instance in
            let planned = adapted[ObjectIdentifier(instance)] ?? instance.planned
            return StateTree.Owned(
                pointer: planned.entry.slice, slice: instance.slice, instance: instance.id)
        }
        store.state.changing.settle(left, slices: slices)
        // A gate that follows the state from here on looks at the one that there is now.
        for adaptation in adaptations {
            let (instance, gate) = (adaptation.instance, adaptation.gate)
            instance.adapt(
                to: adaptation.planned, behind: gate, at: gates[instance.id],
                endingEffects: probation.map { probation in
                    { probation.keep { instance.endEffectsIfClosed() } }
                })
        }
        catchUpOnPassed()
        let ended = store.probation
        store.probation = probation
        for transfer in new { transfer.instance.connect(to: store) }
        store.run(next, lettingGo: gone)
        if let plan { store.onSwap?(self, plan) }
        for instance in gone { next.inherit(from: instance, by: heir(of: instance)) }
        if let undone, let ended {
            let pairs = undone.new.compactMap { transfer in
                transfer.old.map { (transfer.instance.id, $0.id) }
            }
            next.inherit(unplacedIn: ended, by: Dictionary(pairs) { first, _ in first })
        }
        next.start(new.map(\.instance))
        next.beginUnfinished()
    }
}

extension GenerationSwap {
    /// What workers were given and had not answered, by their instances.
    private typealias Unreduced = [ObjectIdentifier: [LateAction]]

    /// What there was before a swap.
    private struct Before {
        /// What no instance owned.
        let left: PlainState
        /// What those that went had not reduced.
        let unreduced: Unreduced
        /// Where the gates of instances stood, by id; without those that follow the state.
        let gates: [String: GateState]
        /// What the configuration said about the state.
        let configured: Value

        /// What there is while these instances run.
        init(_ left: PlainState, _ instances: [Instance], unreduced: Unreduced, configured: Value) {
            (self.left, self.unreduced, self.configured) = (left, unreduced, configured)
            let gates = instances.filter { $0.statePointer == nil }.map { ($0.id, $0.gate) }
            self.gates = Dictionary(gates) { first, _ in first }
        }
    }

    /// Whether an instance resumes from its state before the swap that is undone, not from one that ran since.
    private func comesBack(_ transfer: StateTransfer) -> Bool {
        guard undone != nil, let old = transfer.old else { return false }
        return !gone.contains { $0 === old }
    }

    /// Whether an instance has the gate of one that ran since, which saw what passed.
    private func keepsGate(_ transfer: StateTransfer) -> Bool {
        guard let old = transfer.old, !comesBack(transfer) else { return false }
        return old.planned.entry.gate == transfer.instance.planned.entry.gate
    }

    /// Whether an instance has begun by this swap, and its state goes with it when the generation before comes back: it is new, it never
    /// ran, or the one whose place it took is there again.
    private func hasTried(_ instance: Instance, before back: Generation) -> Bool {
        guard let transfer = new.first(where: { $0.instance === instance }) else { return false }
        guard before != nil, let old = transfer.old else { return true }
        return back.instances.contains { $0.id == old.id }
    }

    /// Lets what has passed since the swap that is undone move the gates that come back, change the state of instances that resume from
    /// before it, and be merged into the plain state, as operators have asked.
    private func catchUpOnPassed() {
        guard let passed = next.store.probation?.actions, undone?.before != nil else { return }
        let fresh = Dictionary(uniqueKeysWithValues: new.map { (ObjectIdentifier($0.instance), $0) })
        let adapted = Set(adaptations.filter { $0.gate != nil }.map { ObjectIdentifier($0.instance) })
        for entry in passed {
            let action = entry.dispatched.action
            let route = next.routes.route(for: action.type)
            var reducing: [(StateTransfer, ActionType)] = []
            // All gates decide before the first reducer changes anything.
            for index in unsafe 0..<route.stops.count {
                let stop = unsafe route.stops[index]
                let instance = stop.instance
                if adapted.contains(ObjectIdentifier(instance)) { _ = instance.lets(action, pass: stop) }
                guard let transfer = fresh[ObjectIdentifier(instance)], !keepsGate(transfer),
                    instance.wouldHaveLet(action, pass: stop), let local = stop.local, comesBack(transfer)
                else { continue }
                instance.standing?.miss(entry.sequence)
                reducing.append((transfer, local))
            }
            for (transfer, local) in reducing {
                let late = LateAction(
                    action.renamed(local), under: action.type, at: nil, as: entry.sequence)
                transfer.reduce([late], in: next.store)
            }
            if entry.isMerged, case .mergeState? = route.request {
                next.fulfil(.mergeState, entry.dispatched)
            }
        }
    }
}
