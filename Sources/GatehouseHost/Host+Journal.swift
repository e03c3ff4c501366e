// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

// What a host with a journal does around a run.
extension Host {
    /// Does what the run before has left: tells of effects that it had running, and dispatches what it had accepted and not done.
    func finishLeftWork() {
        guard let recovery = left.take(), let journal else { return }
        let source = ActionSource(file: "journal", function: "", line: 0, info: nil)
        for effect in recovery.effects {
            let payload: Value = [
                "key": .string(effect.key), "instance": .string(effect.instance),
                "action": Value(Int(effect.sequence)),
            ]
            dispatch(AnyAction(HostActions.effectInterrupted, payload: payload), from: source)
            // Behind the action: it is told again when neither is kept.
            journal.recorder.end(effect: effect.number)
        }
        var lines = RecordedLines()
        for input in recovery.inputs {
            guard let action = lines.action(input.bytes) else { continue }
            let place = ActionSource(file: input.file, function: "", line: input.line, info: input.instance)
            let cause = ActionCause(.input, input.number)
            if let reason = setAside.numbers[input.number] {
                lay(aside: action, from: place, because: reason)
                // In the drain, as if its pass were over.
                queue.withExclusiveAccess { journal.recorder.finish(cause, isAtRest: queue.isSettled) }
                continue
            }
            dispatch(action, from: place.caused(by: cause))
        }
        settle()
    }

    /// Keeps the state as it is; called in the drain, at a rest.
    func takeSnapshot() { core.onSettled?() }

    /// Keeps the state with which the run ends, and lets the next host have the journal; called when the run is over.
    ///
    /// - Throws: why what was done last could not be kept.
    public func closeJournal() throws(JournalFailure) {
        guard let journal else { return }
        queue.withExclusiveAccess { takeSnapshot() }
        journal.close()
        if let failure = journal.failure { throw failure }
    }
}
