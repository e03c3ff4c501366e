// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
private import Synchronization

/// What tasks inside the host bring, each of which waits until it is processed.
///
/// There is as much as there are tasks that wait, and no more: what a task brings next, it brings when this is done.
package final class PostedActions: Sendable {
    /// What one task has brought, on its way into the host.
    package struct PostedAction: Sendable {
        /// An action, or lines of which some may be read.
        package enum Content: Sendable {
            /// An action under its global type.
            case action(AnyAction)
            /// Lines, and how far they are read.
            case lines(PostedLines)
        }

        /// What was brought.
        package var content: Content
        /// Where it comes from; a line has its own number in it.
        package let source: ActionSource
        /// Which actions of the host it may bring, decided by their names.
        package let mayBring: @Sendable (String) -> Bool
        /// Why who brings them does not want lines with a type to come in; nil for one who takes them all.
        package let refusal: HostIngress.Objection?
        /// Why it may not come in, nil when it may; asked in the drain.
        package let objection: @Sendable () -> String?
        /// What became of it so far.
        package var receipt = HostIngress.Receipt()
        /// Called once with what became of it, on the thread that takes it; must not wait.
        fileprivate let sender: @Sendable (Result<HostIngress.Receipt, HostIngress.Failure>) -> Void

        /// Whether all of it was looked at.
        package var isRead: Bool {
            switch content {
            case .action: receipt.lines > 0
            case .lines(let lines): lines.areRead
            }
        }

        /// Lets the sender go on.
        package func answer() { sender(.success(receipt)) }

        /// Lets the sender go on where nothing more is taken; it is told of what was.
        package func end(_ failure: HostIngress.Failure) {
            guard receipt.lines > 0 else { return sender(.failure(failure)) }
            var cut = receipt
            cut.isCut = !isRead
            sender(.success(cut))
        }
    }

    /// What is guarded by the lock.
    private struct State {
        /// In the order in which they came.
        var actions: [PostedAction] = []
        /// Whether nothing is taken any more.
        var isClosed = false
        /// Called when there is something to take.
        var onArrival: (@Sendable () -> Void)?
    }

    /// The posted actions that wait, guarded by the lock.
    private let state = Mutex(State())

    /// An inbox in which nothing waits.
    package init() {}

    /// Sets what is called, on the thread of the task, when there is something to take.
    package func onArrival(_ body: @escaping @Sendable () -> Void) {
        let hasSome = state.withLock { state in
            state.onArrival = body
            return !state.actions.isEmpty
        }
        if hasSome { body() }
    }

    /// Brings something and waits until it is processed.
    package func post(
        _ delivery: HostIngress.Delivery, from source: ActionSource,
        mayBring: @escaping @Sendable (String) -> Bool = { _ in true },
        objection: @escaping @Sendable () -> String? = { nil }
    ) async throws(HostIngress.Failure) -> HostIngress.Receipt {
        let (content, refusal): (PostedAction.Content, HostIngress.Objection?) =
            switch delivery {
            case .action(let action): (.action(action), nil)
            case .lines(let bytes, let refusal): (.lines(PostedLines(bytes)), refusal)
            }
        let result = await withCheckedContinuation { sender in
            add(
                PostedAction(
                    content: content, source: source, mayBring: mayBring, refusal: refusal,
                    objection: objection
                ) { sender.resume(returning: $0) })
        }
        return try result.get()
    }

    /// Brings an action that may come in, without waiting; those of one thread are taken in their order.
    ///
    /// - Parameter onEnd: called once with what became of it, on the thread that takes it; must not wait.
    func bring(
        _ action: AnyAction, from source: ActionSource,
        onEnd: @escaping @Sendable (Result<HostIngress.Receipt, HostIngress.Failure>) -> Void
    ) {
        add(
            PostedAction(
                content: .action(action), source: source, mayBring: { _ in true }, refusal: nil,
                objection: { nil }, sender: onEnd))
    }

    /// Adds what was brought to what waits, or ends it where nothing is taken any more.
    private func add(_ posted: PostedAction) {
        let (isTaken, onArrival) = state.withLock { state in
            guard !state.isClosed else { return (false, nil as (@Sendable () -> Void)?) }
            state.actions.append(posted)
            return (true, state.actions.count == 1 ? state.onArrival : nil)
        }
        if !isTaken { posted.end(.ended) }
        onArrival?()
    }

    /// What came since the last time.
    package func take() -> [PostedAction] {
        state.withLock { state in
            defer { state.actions = [] }
            return state.actions
        }
    }

    /// Keeps what was not read to its end, in front of what has come meanwhile.
    ///
    /// - Parameter isReady: whether it is to be taken again at once, and not when something else happens.
    package func keep(_ actions: [PostedAction], isReady: Bool) {
        guard !actions.isEmpty else { return }
        let (isClosed, onArrival) = state.withLock { state in
            guard !state.isClosed else { return (true, nil as (@Sendable () -> Void)?) }
            state.actions = actions + state.actions
            return (false, isReady ? state.onArrival : nil)
        }
        if isClosed { for posted in actions { posted.end(.ended) } }
        onArrival?()
    }

    /// Takes nothing any more, and says so to those who wait.
    package func close() {
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.actions = [] }
            return state.actions
        }
        for posted in left { posted.end(.ended) }
    }
}
