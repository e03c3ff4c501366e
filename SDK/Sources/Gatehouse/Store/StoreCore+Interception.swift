// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The way of an action that an interceptor wants to see.
///
/// One entry of the queue comes to `complete` at most once: `Passage` lets only the first call of a `next` run at once, and
/// puts every other one into the queue.
extension StoreCore {
    /// Runs one action through the interceptors, and whatever they let pass through the rest.
    @inlinable
    func intercept(
        _ action: DispatchedAction<Action>, by interceptor: AnyInterceptor<Action, State>,
        _ running: RunningMiddleware<Action, State>
    ) {
        let onward = Onward<Action>(drain: self, activity: activity) { [self] changed in
            complete(changed.map { DispatchedAction($0, dispatcher: action.dispatcher) } ?? action)
        } post: { [self] changed, body in
            let late = {
                changed().map { DispatchedAction($0, dispatcher: action.dispatcher) } ?? action
            }
            queueLate(LatePassage(action: late, body: body))
        }
        // Not `enter`: whether it is concerned has been asked.
        interceptor.box.enter(
            Interception(
                action: action.action, from: action.dispatcher, state: getState, output: running.output,
                onward: onward))
        runAnswer(running.output)
    }

    /// Runs an action that an interceptor let pass late through the rest.
    @inlinable
    func process(_ passage: LatePassage<Action>, depth: Int, trail: DispatchTrail<Action>?) {
        guard let running else { return drop(passage.action()) }
        nextDepth = depth &+ 1
        if trail != nil || self.trail != nil { self.trail = trail }
        passage.body()
        runAnswer(running.output)
    }

    /// Runs an action that passed all interceptors through middleware, reducer and observers; its answer waits.
    @inlinable
    func complete(_ action: DispatchedAction<Action>) {
        guard let running else { return drop(action) }
        answer = running.middleware.handle(action: action.action, from: action.dispatcher, state: getState)
        if observers.isEmpty {
            _ = box.reduce(action.action, by: reducer)
        } else {
            reduceAndNotify(action.action)
        }
    }

    /// Runs the answer that waits; ends the work on an action.
    @inlinable
    func runAnswer(_ output: AnyActionHandler<Action>) {
        // Let go of before it runs, and before the next action: middlewares fill the body of an answer again.
        let io = answer
        answer = .pure()
        io.run(output)
        nextDepth = 0
    }

    /// Queues an action that an interceptor let pass late; called in the drain.
    @usableFromInline
    func queueLate(_ passage: LatePassage<Action>) {
        if nextDepth == 0 { return placed.append(.passage(passage, depth: 0, trail: nil)) }
        if waiting.load(ordering: .relaxed) > 0 { collectMail() }
        guard nextDepth > maximumChain - StoreCore.trailLength else {
            return queue.append(.passage(passage, depth: nextDepth, trail: nil))
        }
        guard let link = lengthenTrail(passage.action()) else { return }
        queue.append(.passage(passage, depth: nextDepth, trail: link))
    }
}
