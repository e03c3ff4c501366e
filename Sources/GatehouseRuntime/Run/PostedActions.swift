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
        /// Whoever waits until it is taken.
        fileprivate let sender: Sender

        /// Whether all of it was looked at.
        package var isRead: Bool {
            switch content {
            case .action: receipt.lines > 0
            case .lines(let lines): lines.areRead
            }
        }

        /// Lets the sender go on.
        package func answer() { sender.answer(.success(receipt)) }

        /// Lets the sender go on where nothing more is taken; it is told of what was.
        package func end(_ failure: HostIngress.Failure) {
            guard receipt.lines > 0 else { return sender.answer(.failure(failure)) }
            var cut = receipt
            cut.isCut = !isRead
            sender.answer(.success(cut))
        }
    }

    /// Somebody who waits, and gets one answer: of several the first one.
    fileprivate final class Sender: Sendable {
        /// What is called with the answer; nil once it was.
        private let onEnd: Mutex<(@Sendable (Result<HostIngress.Receipt, HostIngress.Failure>) -> Void)?>

        /// Creates a sender.
        ///
        /// - Parameter onEnd: called on the thread that answers; must not wait.
        init(_ onEnd: @escaping @Sendable (Result<HostIngress.Receipt, HostIngress.Failure>) -> Void) {
            self.onEnd = Mutex(onEnd)
        }

        /// Whether there was an answer.
        var isAnswered: Bool { onEnd.withLock { $0 == nil } }

        /// Answers, unless somebody has.
        func answer(_ result: Result<HostIngress.Receipt, HostIngress.Failure>) {
            onEnd.withLock { $0.take() }?(result)
        }
    }

    /// What is guarded by the lock.
    private struct State {
        /// In the order in which they came.
        var actions: [PostedAction] = []
        /// Whether nothing is taken any more.
        var isClosed = false
        /// Those whose actions are taken and not confirmed.
        var senders: [Sender] = []
        /// Why nothing is taken at the moment; nil when something is.
        var obstacle: String?
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
                    objection: objection,
                    sender: Sender { sender.resume(returning: $0) }))
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
                objection: { nil }, sender: Sender(onEnd)))
    }

    /// Adds what was brought to what waits, or ends it where nothing is taken.
    private func add(_ posted: PostedAction) {
        let (failure, onArrival) = state.withLock { state in
            let failure: HostIngress.Failure? =
                state.isClosed ? .ended : state.obstacle.map { .refused("\($0); ask again") }
            guard failure == nil else { return (failure, nil as (@Sendable () -> Void)?) }
            state.actions.append(posted)
            return (nil, state.actions.count == 1 ? state.onArrival : nil)
        }
        if let failure { posted.end(failure) }
        onArrival?()
    }

    /// What came since the last time.
    package func take() -> [PostedAction] {
        state.withLock { state in
            defer { state.actions = [] }
            state.senders = state.senders.filter { !$0.isAnswered } + state.actions.map(\.sender)
            return state.actions
        }
    }

    /// Answers all tasks that wait, and those that come, because nothing can be confirmed at the moment; nil when it can again.
    package func refuse(because reason: String?) {
        let (waiting, taken) = state.withLock { state in
            state.obstacle = reason
            guard reason != nil else { return ([PostedAction](), [Sender]()) }
            defer { (state.actions, state.senders) = ([], []) }
            return (state.actions, state.senders)
        }
        guard let reason else { return }
        for posted in waiting where posted.receipt.lines == 0 {
            posted.sender.answer(.failure(.refused("\(reason); ask again")))
        }
        let unknown = HostIngress.Failure.refused(
            "it is not confirmed, and may still be taken: \(reason); send it again under the same meta.id")
        for posted in waiting { posted.sender.answer(.failure(unknown)) }
        for sender in taken { sender.answer(.failure(unknown)) }
    }

    /// Keeps what was not read to its end, in front of what has come meanwhile.
    ///
    /// - Parameter isReady: whether it is to be taken again at once, and not when something else happens.
    package func keep(_ actions: [PostedAction], isReady: Bool) {
        guard !actions.isEmpty else { return }
        let (isClosed, onArrival) = state.withLock { state in
            guard !state.isClosed else { return (true, nil as (@Sendable () -> Void)?) }
            state.actions = actions.filter { !$0.sender.isAnswered } + state.actions
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
