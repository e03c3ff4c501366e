// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
internal import GatehouseSDK

// What a host with a journal does around a run.
extension Host {
    /// Does what the run before has left: begins effects again that it had running, and dispatches what it had accepted and not done.
    func finishLeftWork() {
        guard let recovery = left.take(), let journal else { return }
        queue.withExclusiveAccess {
            generation.inherit(recovery.effects, settingAside: setAside.numbers)
            generation.beginUnfinished()
        }
        var lines = RecordedLines()
        let left = recovery.inputs.compactMap { input in
            lines.action(input.bytes).map { action in
                let place = ActionSource(
                    file: input.file, function: "", line: input.line, info: input.instance)
                return (input.number, action, place)
            }
        }
        guard lay(asideOf: left, journal) else { return }
        for (number, action, place) in left where setAside.numbers[number] == nil {
            dispatch(action, from: place.caused(by: ActionCause(.input, number)))
        }
        settle()
    }

    /// Lays those inputs aside that are to be; false when that cannot be written down.
    ///
    /// It is on the disk before anything else is dispatched: that may end the host once more, and the next one would lay the same
    /// inputs aside again.
    private func lay(asideOf left: [(UInt64, AnyAction, ActionSource)], _ journal: HostJournal) -> Bool {
        let aside = left.compactMap { input in setAside.numbers[input.0].map { (input, $0) } }
        guard !aside.isEmpty else { return true }
        for ((_, action, place), reason) in aside { lay(aside: action, from: place, because: reason) }
        // In the drain, as if their passes were over.
        queue.withExclusiveAccess {
            for ((number, _, _), _) in aside {
                journal.recorder.finish(ActionCause(.input, number), isIdle: queue.isSettled)
            }
        }
        do {
            try journal.commit()
            return true
        } catch {
            // Told by the journal, which ends the run.
            return false
        }
    }

    /// Keeps the state as it is; called in the drain, at a rest.
    func takeSnapshot() { core.onIdle?() }

    /// Keeps the state with which the run ends, and lets the next host have the journal; called when the run is over.
    ///
    /// - Throws: why what was done last could not be kept.
    package func closeJournal() throws(JournalFailure) {
        guard let journal else { return }
        queue.withExclusiveAccess { takeSnapshot() }
        journal.close()
        if let failure = journal.failure { throw failure }
    }
}
