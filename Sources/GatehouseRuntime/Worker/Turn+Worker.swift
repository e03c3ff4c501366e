// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseSDK

// What a worker does with its one instance in its drain.
extension Turn {
    /// Processes an action as it is; its consequences wait in the queue.
    func process(_ dispatched: DispatchedAction<AnyAction>) { generation.process(dispatched) }

    /// Lets what a body emits be known as an effect's, not as what follows from nothing.
    func asEffect(_ body: () -> Void) {
        generation.queue.mark = Drain.effectMark
        body()
        generation.queue.mark = 0
    }

    /// Lets an instance reduce an action that leads to nothing else.
    ///
    /// - Parameter sequence: its number, which tells of it where it ends the process; 0 for none.
    func reduce(
        _ action: AnyAction, as sequence: UInt64, from source: ActionSource, by instance: Instance
    ) {
        guard let local = instance.planned.names.local(of: action.type.name) else { return }
        let (progress, pass) = (generation.progress, generation.pass)
        progress.take()
        progress.begin(sequence, action.type, from: source)
        pass.take(action)
        generation.store.state.change {
            progress.during(.reduce, of: instance) {
                _ = instance.reduce(action.renamed(ActionType(local)))
            }
        }
        pass.end()
        progress.leave()
    }

    /// Lets an action be in hand when the process ends, because the state after it is of no use to anybody.
    ///
    /// It is the last of several that were carried out together, at first; the next process carries them out one by one.
    func blame(_ sequence: UInt64, _ type: ActionType, from source: ActionSource, in instance: Instance) {
        let progress = generation.progress
        progress.take()
        progress.begin(sequence, type, from: source)
        progress.enter(.reduce, of: instance)
    }

    /// Shows an action once more to an instance whose effects had not ended.
    ///
    /// - Parameters:
    ///   - sequence: its number.
    ///   - name: what its effects are called.
    ///   - places: those of the effects that are to begin; what it emitted on the spot is known then, and is dropped. None for an action that
    ///     was not answered.
    func show(
        _ action: AnyAction, from source: ActionSource, as sequence: UInt64, named name: EffectKeys.Name,
        to instance: Instance, beginningAt places: [UInt32]
    ) {
        let store = generation.store
        let (progress, pass, queue) = (generation.progress, generation.pass, generation.queue)
        guard let local = instance.planned.names.local(of: action.type.name) else { return }
        progress.take()
        queue.mark = progress.begin(sequence, action.type, from: source)
        pass.begin(from: source)
        pass.take(action)
        store.dependencies.effectKeys.begin(as: name) {
            let handle = {
                progress.enter(.handle, of: instance)
                let io = instance.handle(action.renamed(ActionType(local)), from: source)
                progress.enter(.answer, of: instance)
                io.run(instance.output)
            }
            guard !places.isEmpty, let log = instance.log else { return handle() }
            let misfits = instance.outlet.misfits
            let count = log.begin(at: places, of: action, from: source, after: sequence) {
                instance.outlet.repeating(handle)
            }
            // That the action does not fit is a dead letter already.
            guard count > 0, instance.outlet.misfits == misfits else { return }
            let reason = Generation.counted(Generation.unbegun(by: instance.id), count)
            store.dependencies.letters.add(
                .unfinished, action, from: source, instance: instance.id, sequence: sequence,
                reason: "its effect \(name.key ?? ""): \(reason)")
        }
        pass.end()
        queue.mark = 0
        progress.leave()
    }
}
