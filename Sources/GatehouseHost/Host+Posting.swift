// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

// Actions that come from inside the process, and are waited for.
extension Host {
    /// Waits until an action is processed with everything that it leads to synchronously; callable from any task.
    ///
    /// It is processed while a run goes on, like the lines of an input.
    /// - Throws: when the run is over before.
    public func post(_ action: AnyAction, from source: ActionSource) async throws(HostIngress.Failure) {
        try await core.dependencies.posted.post(action, from: source)
    }

    /// Processes what was brought so far; called on the thread that dispatches, outside of the drain.
    func processPosted() {
        let letters = core.dependencies.posted.take()
        guard !letters.isEmpty else { return }
        let objections = queue.withExclusiveAccess { letters.map { $0.objection() } }
        let welcome = zip(letters, objections).filter { $1 == nil }.map(\.0)
        do {
            let causes = try journal?.commit(welcome.map { ($0.action, $0.source) })
            for (place, letter) in welcome.enumerated() {
                let source = letter.source.caused(by: causes?[place] ?? .unknown)
                queue.dispatch(DispatchedAction(letter.action, dispatcher: source))
            }
        } catch {
            // The run ends for the same reason; see `HostJournal.onFailure`.
            for letter in letters { letter.answer(.ended) }
            return
        }
        settle()
        for (letter, objection) in zip(letters, objections) { letter.answer(objection.map { .refused($0) }) }
    }

    /// Waits until all that was dispatched is processed, with what it led to synchronously.
    func settle() {
        let rest = Activity()
        rest.onIdle { [idle] in idle.wake() }
        rest.begin(.foreground)
        rest.end(.foreground, atRestOf: queue)
        guard !rest.isIdle else { return }
        while !rest.isIdle { idle.wait() }
        // What woke this thread meanwhile may have been for another wait.
        idle.wake()
    }
}
