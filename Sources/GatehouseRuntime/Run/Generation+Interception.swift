// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

extension Generation {
    /// A mark whose low bits name no action, while interceptors have one in hand.
    static let unnumbered: UInt64 = 1 << 62

    /// Shows an action to the instances that decide about its type, one after the other, and takes what they let pass
    /// through the rest.
    ///
    /// One entry of the queue advances at most once, so there is one pass: a second or late `next` is an entry of its own.
    func intercept(_ dispatched: DispatchedAction<AnyAction>) {
        progress.beginInterception(
            dispatched.action.type, from: dispatched.dispatcher,
            input: store.recorder?.input(thatCaused: dispatched.dispatcher.cause))
        // An action that is delayed may go on in a later generation.
        let onward = Onward<AnyAction>(drain: queue, activity: queue.activity) { [store] changed in
            let passed = dispatched.replaced(by: changed)
            guard let now = store.generation else { return }
            let before = now.progress.work
            now.pass.hold(passed.action)
            now.advance(
                passed, isChanged: changed != nil, by: now.routes.route(for: passed.action.type))
            now.tellReduction()
            now.progress.resume(before)
        } post: { [store] changed, body in
            store.queue.append(delayed: { dispatched.replaced(by: changed()) }) { [store] in
                store.generation?.takeInHand(from: dispatched.dispatcher)
                body()
                guard let now = store.generation else { return }
                now.finish()
                now.pass.release()
                now.endRecording(.unknown)
            }
        }
        takeInHand(from: dispatched.dispatcher)
        intercept(dispatched.action, isChanged: false, behind: -1, from: dispatched.dispatcher, onward)
        finish()
        pass.release()
    }

    /// Takes note that interceptors have an action in hand: what they emit answers one that has no number yet, and so follows from what that
    /// follows from.
    private func takeInHand(from source: ActionSource) {
        queue.mark = Self.unnumbered
        pass.begin(from: source)
    }

    /// Shows an action to those of its route that decide about it, beginning after a place in the chain.
    ///
    /// An action that one of them changes goes on among those further down the chain that decide about what it became.
    ///
    /// - Parameter isChanged: whether it is not the one that came.
    private func intercept(
        _ action: AnyAction, isChanged: Bool, behind place: Int, from dispatcher: ActionSource,
        _ outer: Onward<AnyAction>
    ) {
        let route = routes.route(for: action.type)
        guard let stop = unsafe route.stops.first(where: { $0.intercepts && $0.index > place }) else {
            return outer.pass(isChanged ? action : nil)
        }
        let onward = Onward<AnyAction>(before: outer, late: { $0 ?? (isChanged ? action : nil) }) {
            [self] changed in
            guard let now = store.generation else { return }
            let before = progress.work
            defer { progress.resume(before) }
            now.intercept(
                changed ?? action, isChanged: isChanged || changed != nil,
                behind: now === self ? stop.index : now.place(of: stop.index, in: self),
                from: dispatcher, outer)
        }
        progress.enter(.intercept, of: stop.instance)
        stop.instance.intercept(action, at: stop, from: dispatcher, onward)
    }

    /// Where a place of an earlier chain is in this one: that of the last instance up to there that is in both; -1 for none.
    private func place(of place: Int, in earlier: Generation) -> Int {
        for link in earlier.links[...place].reversed() {
            if let found = links.firstIndex(where: { $0.instance.id == link.instance.id }) { return found }
        }
        return -1
    }
}
