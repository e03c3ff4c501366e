// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseSDK

// Effects that it has begun and not ended.
extension Instance {
    /// Hands over what has not ended; called in the drain, when all that runs is cancelled.
    func takeUnfinished() -> [JournalEffect] {
        let left = takeInherited() + (log?.takeUnfinished() ?? []) + (worker?.unfinished ?? [])
        worker?.letGo()
        return left
    }

    /// The effects that actions have started and that have not ended, with those that are to begin again, in order of beginning;
    /// called in the drain.
    ///
    /// One stands for all of an action that a worker has not answered, and without a journal none stands for what a worker has.
    package var effectsUnderWay: [JournalEffect] {
        (inherited + (log?.underWay ?? [])).sorted { $0.number < $1.number }
    }

    /// Takes note of whether another instance takes over; called in the drain.
    package func expectSuccessor(_ comes: Bool) { log?.expectSuccessor(comes) }

    /// Ends its effects if its gate is still closed; called in the drain, when it is decided that a change stays which has closed it.
    func endEffectsIfClosed() {
        guard endsEffects else { return }
        progress.during(.gate, of: self) { endEffects() }
    }

    /// How many of its effects begin again if they do not end; called in the drain.
    package var recoverableEffects: Int { (log?.recoverable ?? 0) + (worker?.unfinishedCount ?? 0) }

    /// Hands over what is to begin again.
    func takeInherited() -> [JournalEffect] {
        defer { inherited = [] }
        return inherited
    }

    /// Takes over what another instance, or another run, has left; it begins when the generation says so.
    package func inherit(_ effects: [JournalEffect]) { inherited += effects }

    /// Whether what it has running ends when its gate is closed, and it is.
    var endsEffects: Bool { gate == .bypass && onClose == .cancel }

    /// Shows an action to the plugin once more, under its local type; of what follows from it on the spot nothing is emitted.
    ///
    /// - Parameter effects: those that it began before and that are to begin again.
    /// - Returns: those that did not begin.
    package func show(_ action: AnyAction, from source: ActionSource, beginning effects: [JournalEffect])
        -> [JournalEffect]
    {
        if let worker {
            worker.show(action, from: source, beginning: effects)
            return []
        }
        guard let log else { return effects }
        func begin() {
            progress.enter(.handle, of: self)
            let io = handle(action, from: source)
            progress.enter(.answer, of: self)
            io.run(output)
        }
        guard let first = effects.first, first.standsForAll else {
            return log.show(effects) { outlet.repeating(begin) }
        }
        // A worker that has not answered the action has emitted nothing that counts.
        log.beginAll(insteadOf: first, begin)
        return []
    }
}
