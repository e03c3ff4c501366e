// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseSDK

// Effects that had not ended when their process did, or when their instance was taken out of service.
extension Generation {
    /// Where the host says that an effect was interrupted.
    private static let journal = ActionSource(file: "journal", function: "", line: 0, info: nil)

    /// Gives effects of the run before to those that take over from their instances; called in the drain, or before the first action.
    ///
    /// Each counts one more attempt. What nobody takes over becomes a dead letter, and so does what goes back to an input that is
    /// skipped.
    ///
    /// - Parameters:
    ///   - ids: the instances of the run before, those without effects too: whoever takes over from one takes over from no other.
    ///   - skipped: why inputs are, by their numbers.
    func inherit(
        _ effects: [JournalEffect], of ids: [String] = [], skipping skipped: [UInt64: String] = [:]
    ) {
        let succession = Succession(
            from: Set(effects.map(\.instance) + ids), to: instances.map(\.planned.entry))
        var heirs: [String: Instance] = [:]
        for instance in instances {
            if let before = succession[instance.id] { heirs[before] = instance }
        }
        for effect in effects {
            let heir = heirs[effect.instance]
            let fate = EffectFate(of: effect, for: heir?.id, skipping: skipped)
            if case .inherited(let effect) = fate, let heir {
                inherit([effect], by: heir, isNoted: true)
            } else {
                end(effect, by: fate)
            }
        }
    }

    /// Gives what an instance has not ended to the one that takes over from it; called in the drain.
    ///
    /// - Parameter heir: nil where nobody takes over; the effects become dead letters then.
    func inherit(from instance: Instance, by heir: Instance?) {
        let effects = instance.takeUnfinished()
        guard let heir else {
            return drop(effects) { [self] in effects.forEach { end($0, by: .withoutHeir($0)) } }
        }
        inherit(effects, by: heir, isNoted: heir.id != instance.id)
    }

    /// Gives effects that a generation which is taken back has not begun to those that come back; called in the drain.
    ///
    /// - Parameter ids: of those that come back, by the ids of those that had taken over from them.
    func inherit(unplacedIn probation: Probation, by ids: [String: String]) {
        for effect in probation.takeUnplaced() {
            let id = ids[effect.instance] ?? effect.instance
            guard let heir = instances.first(where: { $0.id == id }) else {
                end(effect, by: .withoutHeir(effect))
                continue
            }
            inherit([effect], by: heir, isNoted: id != effect.instance)
        }
    }

    /// Lets effects come to nothing, as soon as it is decided that this generation stays.
    private func drop(_ effects: [JournalEffect], _ body: @escaping () -> Void) {
        guard let probation = store.probation else { return body() }
        if !effects.isEmpty { probation.keep(effects, onceSettled: body) }
    }

    /// Gives effects to an instance.
    ///
    /// - Parameter isNoted: whether the journal has something else of them so far.
    private func inherit(_ effects: [JournalEffect], by heir: Instance, isNoted: Bool) {
        heir.inherit(
            effects.map { effect in
                var effect = effect
                effect.instance = heir.id
                if isNoted { store.recorder?.resume(effect) }
                return effect
            })
    }

    /// Begins what instances have taken over, in the order in which it began, or says that it was interrupted; called in the drain,
    /// between two actions.
    ///
    /// An instance whose library is in quarantine keeps it for the one that comes next.
    func beginUnfinished() {
        var heirs: [String: Instance] = [:]
        var left: [JournalEffect] = []
        for instance in instances where instance.standing == nil {
            heirs[instance.id] = instance
            left += instance.takeInherited()
        }
        // What has ended with its outputs is over although nothing follows.
        defer {
            if store.recorder?.isWaiting == true {
                queue.enqueueAtRest { [store] in store.recorder?.rest() }
            }
        }
        guard !left.isEmpty else { return }
        left.sort { $0.number < $1.number }
        for effects in EffectFate.groups(of: left) {
            if effects[0].recovery == .again, let heir = heirs[effects[0].instance] {
                show(effects, to: heir)
            } else {
                tell(effects[0])
            }
        }
    }

    /// Shows an action to the instance once more whose effects have not ended.
    ///
    /// It goes past interceptors, and past the gate, which it does not move; but where a gate is closed that ends effects, they have ended.
    private func show(_ effects: [JournalEffect], to instance: Instance) {
        guard let first = effects.first else { return }
        guard !instance.endsEffects else {
            return drop(effects) { [self] in effects.forEach(end) }
        }
        if let reason = EffectFate.refusal(of: first) { return bury(effects, reason) }
        guard let action = first.action else { return }
        let route = routes.route(for: action.type)
        guard let local = unsafe route.stops.first(where: { $0.instance === instance })?.local else {
            return bury(effects, "\(instance.id) does not hear \(action.type.name) any more")
        }
        let misfits = instance.outlet.misfits
        var lost: [JournalEffect] = []
        progress.take()
        progress.begin(first.sequence, action.type, from: first.source)
        if store.recorder != nil { progress.note(input: first.input) }
        queue.mark = first.sequence
        pass.begin(from: first.source)
        pass.take(action)
        let name = EffectKeys.Name(
            key: Self.key(of: first), attempt: first.attempt)
        store.dependencies.effectKeys.begin(as: name) {
            lost = instance.show(action.renamed(local), from: first.source, beginning: effects)
        }
        pass.end()
        queue.mark = 0
        progress.leave()
        // That the action does not fit is a dead letter already.
        if instance.outlet.misfits > misfits { return drop(lost) { [self, lost] in lost.forEach(end) } }
        bury(lost, Self.unbegun(by: instance.id))
    }

    // MARK: - What is not begun

    /// Says that an effect was interrupted.
    private func tell(_ effect: JournalEffect) {
        tellInterrupted(effect)
        // After the action: it is told again when neither is kept.
        queue.enqueueAtRest { [store] in store.recorder?.end(effect: effect.number) }
    }

    /// What an effect is called, also in a host without a journal.
    private static func key(of effect: JournalEffect) -> String {
        effect.key.isEmpty ? EffectKeys.key(of: effect.sequence, for: effect.instance) : effect.key
    }

    /// Puts into the queue that an effect was interrupted.
    func tellInterrupted(_ effect: JournalEffect) {
        let action = HostActions.interrupted(
            Self.key(of: effect), of: effect.instance, after: effect.sequence)
        queue.append(DispatchedAction(action, dispatcher: Self.journal))
    }

    /// Ends an effect that nobody takes over.
    private func end(_ effect: JournalEffect, by fate: EffectFate) {
        if case .buried(let kind, let reason) = fate { bury(effect, kind, reason) } else { tell(effect) }
    }

    /// Keeps effects of an action as one dead letter; nothing where there are none.
    private func bury(_ effects: [JournalEffect], _ reason: String) {
        guard let first = effects.first else { return }
        drop(effects) { [self] in
            bury(first, .unfinished, Self.counted(reason, effects.count))
            effects.dropFirst().forEach(end)
        }
    }

    /// Why effects of an action have not begun, with how many there are.
    static func counted(_ reason: String, _ count: Int) -> String {
        count == 1 ? reason : "\(reason); there were \(count) of them"
    }

    /// Why an instance has not begun effects when it was shown their action again.
    static func unbegun(by instance: String) -> String {
        "\(instance) did not begin it when its action was shown again"
    }

    /// Keeps the action of an effect as a dead letter.
    private func bury(_ effect: JournalEffect, _ kind: DeadLetter.Kind, _ reason: String) {
        store.dependencies.letters.add(
            kind,
            effect.action ?? HostActions.interrupted(effect.key, of: effect.instance, after: effect.sequence),
            from: effect.source, instance: effect.instance,
            sequence: store.recorder == nil ? nil : effect.sequence,
            reason: "its effect \(effect.key): \(reason)")
        end(effect)
    }

    /// Takes note that an effect has ended.
    private func end(_ effect: JournalEffect) { store.recorder?.end(effect: effect.number) }
}
