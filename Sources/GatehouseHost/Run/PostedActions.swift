// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// Actions that tasks inside the host bring, each of which waits until its action is processed.
///
/// There are as many as there are tasks that wait, and no more: what a task brings next, it brings when this is done.
final class PostedActions: Sendable {
    /// One action on its way into the host.
    struct Letter: Sendable {
        /// The action under its global type.
        let action: AnyAction
        /// The source of the action.
        let source: ActionSource
        /// Why it may not come in, nil when it may; asked in the drain.
        let objection: @Sendable () -> String?
        /// The task that waits until the action is taken.
        fileprivate let sender: CheckedContinuation<Result<Void, HostIngress.Failure>, Never>

        /// Lets the sender go on.
        func answer(_ failure: HostIngress.Failure? = nil) {
            sender.resume(returning: failure.map { .failure($0) } ?? .success(()))
        }
    }

    /// What is guarded by the lock.
    private struct State {
        /// In the order in which they came.
        var letters: [Letter] = []
        /// Whether nothing is taken any more.
        var isClosed = false
        /// Called when there is something to take.
        var onArrival: (@Sendable () -> Void)?
    }

    /// The letters that wait, guarded by the lock.
    private let state = Mutex(State())

    /// An inbox in which nothing waits.
    init() {}

    /// Sets what is called, on the thread of the task, when there is something to take.
    func onArrival(_ body: @escaping @Sendable () -> Void) {
        let hasSome = state.withLock { state in
            state.onArrival = body
            return !state.letters.isEmpty
        }
        if hasSome { body() }
    }

    /// Brings an action and waits until it is processed.
    func post(
        _ action: AnyAction, from source: ActionSource,
        objection: @escaping @Sendable () -> String? = { nil }
    ) async throws(HostIngress.Failure) {
        let result = await withCheckedContinuation { sender in
            let letter = Letter(action: action, source: source, objection: objection, sender: sender)
            let (isTaken, onArrival) = state.withLock { state in
                guard !state.isClosed else { return (false, nil as (@Sendable () -> Void)?) }
                state.letters.append(letter)
                return (true, state.letters.count == 1 ? state.onArrival : nil)
            }
            if !isTaken { letter.answer(.ended) }
            onArrival?()
        }
        try result.get()
    }

    /// What came since the last time.
    func take() -> [Letter] {
        state.withLock { state in
            defer { state.letters = [] }
            return state.letters
        }
    }

    /// Takes nothing any more, and says so to those who wait.
    func close() {
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.letters = [] }
            return state.letters
        }
        for letter in left { letter.answer(.ended) }
    }
}
