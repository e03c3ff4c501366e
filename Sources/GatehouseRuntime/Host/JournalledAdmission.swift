// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
internal import GatehousePlan
package import GatehouseSDK

/// Keeps what comes in and what is reduced in a journal, and goes on where the run before ended.
///
/// With a strict journal, actions are committed before they are dispatched; with a relaxed one, only those that name themselves are
/// noted, so that they are taken once.
package final class JournalledAdmission: Admission {
    /// The journal.
    private let kept: HostJournal
    /// What the run before has left; nil when it is done.
    private var left: Recovery?
    /// The actions that wait to be committed.
    private var taken = AcceptedActions()

    /// Creates the admission of a host that continues a journal.
    ///
    /// - Parameter recovery: has made the assembly of the host.
    package init(_ journal: HostJournal, from recovery: Recovery) {
        kept = journal
        left = recovery
    }

    package var journal: HostJournal? { kept }
    package var recorder: ActionRecorder? { kept.recorder }
    package var keepsFirst: Bool { kept.isStrict }
    package var isFull: Bool { taken.isFull() }

    package func open(_ store: HostStore) {
        store.onIdle = { [weak store, kept] in
            guard let store, let generation = store.generation else { return }
            kept.snapshot(of: generation, configured: store.configuration.state)
        }
        kept.recorder.every(kept.snapshotEvery) { [weak store] in store?.onIdle?() }
        store.onSwap = { [kept] swap, plan in
            kept.begin(swap.next, by: plan, made: swap.made, patch: swap.patch, restored: swap.restored)
        }
        guard let left, let generation = store.generation else { return }
        store.dependencies.letters.keep(in: kept.writer, behind: left.letters)
        if let plan = left.plan {
            kept.begin(
                generation, by: plan, made: generation.instances.filter(left.isMade),
                patch: left.patch(to: store.configuration.state))
        }
        // The next start need not reduce the same actions again.
        if left.replayed > 0 { store.onIdle?() } else { kept.beginKept() }
    }

    @inline(__always)
    package func take(
        _ action: consuming AnyAction, _ text: ActionText?, from source: ActionSource, to store: HostStore
    ) -> Bool {
        guard kept.lets(action) else { return keep(action, text, from: source, to: store) }
        dispatch(action, text, from: source, to: store)
        return true
    }

    /// Dispatches an action, with the line it was read from, if it was.
    private func dispatch(
        _ action: AnyAction, _ text: ActionText?, from source: ActionSource, to store: HostStore
    ) {
        if let text {
            store.dispatch(action, read: text, from: source)
        } else {
            store.dispatch(action, from: source)
        }
    }

    /// Takes an action of a strict journal, or one that may name itself.
    @inline(never)
    private func keep(
        _ action: AnyAction, _ text: ActionText?, from source: ActionSource, to store: HostStore
    ) -> Bool {
        let id = kept.id(of: action)
        if let id, !kept.isNew(id) { return false }
        if kept.isStrict {
            taken.add(action, text, from: source, id: id)
        } else {
            let source = id == nil ? source : kept.note(action, text, from: source, id: id)
            dispatch(action, text, from: source, to: store)
        }
        return true
    }

    package func dispatchTaken(to store: HostStore) throws(IngressError) {
        guard !taken.isEmpty else { return }
        var number: UInt64
        do { number = try kept.commit(taken) } catch { throw .journal(error) }
        taken.takeAll { action, text, source in
            var text = text
            text.isFollowed = true
            dispatch(action, text, from: source.caused(by: ActionCause(.input, number)), to: store)
            number += 1
        }
        store.sendOrders()
    }

    /// Begins effects again that the run before had running, and dispatches the actions that it had accepted and not finished.
    package func finishLeftWork(of host: Host) {
        guard let recovery = left.take() else { return }
        let store = host.store
        let skipped = host.skipped.numbers
        store.queue.withExclusiveAccess {
            store.generation?.inherit(
                recovery.effects, of: recovery.lastPlan?.entries.map(\.id) ?? [], skipping: skipped)
            store.generation?.beginUnfinished()
        }
        var lines = RecordedLines()
        let left = recovery.inputs.compactMap { input in
            lines.action(input.bytes).map { action in
                let place = ActionSource(
                    file: input.file, function: "", line: input.line, info: input.instance)
                return (number: input.number, action: action, place: place)
            }
        }
        let unwanted = left.compactMap { input in
            skipped[input.number].map { (number: input.number, skip: (input.action, input.place, $0)) }
        }
        guard unwanted.isEmpty || skip(unwanted, of: host) else { return }
        for (number, action, place) in left where skipped[number] == nil {
            store.dispatch(action, from: place.caused(by: ActionCause(.input, number)))
        }
        host.settle()
    }

    /// Skips inputs that have ended the host too often; false when that cannot be written down.
    ///
    /// It is on the disk before anything else is dispatched: that may end the host once more, and the next one would skip the same
    /// inputs again.
    private func skip(
        _ inputs: [(number: UInt64, skip: (AnyAction, ActionSource, reason: String))], of host: Host
    ) -> Bool {
        let queue = host.store.queue
        for case (_, (let action, let place, let reason)) in inputs {
            host.skip(action, from: place, because: reason)
        }
        // In the drain, as if their passes were over.
        queue.withExclusiveAccess {
            for input in inputs {
                kept.recorder.finish(ActionCause(.input, input.number), isIdle: queue.isSettled)
            }
        }
        do {
            try kept.commit()
            return true
        } catch {
            // The journal has reported it, and ends the run.
            return false
        }
    }

    package func close(_ store: HostStore) throws(JournalFailure) {
        store.queue.withExclusiveAccess { store.onIdle?() }
        kept.close()
        if let failure = kept.failure { throw failure }
    }
}
