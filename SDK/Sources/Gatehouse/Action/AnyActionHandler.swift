// SPDX-License-Identifier: Apache-2.0

/// A type-erased action handler.
///
/// It may be stored and called later, any number of times, from any thread. Calls made while the owning store drains on
/// the same thread act at once; all others join the end of its queue. If the store limits waiting actions, a thread that
/// drains nothing sleeps while the queue is full; it must not hold a lock that the store's work needs.
@frozen
public struct AnyActionHandler<ActionType: Sendable>: ActionHandler, Sendable {
    /// The sink that receives the actions.
    public let sink: ActionSink<ActionType>

    /// Creates a handler for a sink.
    @inlinable
    public init(_ sink: ActionSink<ActionType>) {
        self.sink = sink
    }

    /// Creates a handler that runs a closure on the dispatching thread.
    @inlinable
    public init(_ handle: @escaping @Sendable (DispatchedAction<ActionType>) -> Void) {
        sink = ActionSink(drain: nil, activity: nil, receive: handle)
    }

    /// Creates a handler that hides the type of another and keeps it alive.
    @inlinable
    public init<Handler: ActionHandler<ActionType> & Sendable>(_ handler: Handler) {
        if let erased = handler as? AnyActionHandler<ActionType> {
            self = erased
        } else if let erased = handler as? any ErasedActionHandler<ActionType> {
            self = erased.handler
        } else {
            sink = ActionSink(drain: (handler as? any DrainOwner)?.drain, activity: nil) {
                handler.dispatch($0)
            }
        }
    }

    /// Emits now if this thread is draining the owning store, otherwise queues the emission there.
    @inlinable
    public func dispatch(_ dispatchedAction: DispatchedAction<ActionType>) {
        guard let drain = sink.drain, !drain.isCurrent else { return sink.emit(dispatchedAction) }
        if drain.isFull { drain.waitForRoom() }
        let sink = sink
        drain.enqueue { sink.emit(dispatchedAction) }
    }

    /// Emits several actions in one turn, so that none waits for consequences of another; on any thread as in the drain.
    func dispatch(_ actions: [DispatchedAction<ActionType>]) {
        guard !actions.isEmpty else { return }
        guard let drain = sink.drain, !drain.isCurrent else { return actions.forEach(sink.emit) }
        if drain.isFull { drain.waitForRoom() }
        let sink = sink
        drain.enqueue { actions.forEach(sink.emit) }
    }

    /// Returns a handler of other actions that maps each to this one's, keeping the source.
    ///
    /// The map runs in the drain, so it need not be `Sendable`. A handler that belongs to no store has no drain: its maps
    /// run on the dispatching thread and must allow that.
    @inlinable
    public func contramap<NewAction: Sendable>(
        _ transform: @escaping (NewAction) -> ActionType
    ) -> AnyActionHandler<NewAction> {
        AnyActionHandler<NewAction>(ActionSink(mappingTo: sink, transform))
    }
}

extension ActionHandler where Self: Sendable {
    /// Returns a handler of other actions that maps each to this one's, keeping the source; the map runs in the drain.
    @inlinable
    public func contramap<NewAction: Sendable>(
        _ transform: @escaping (NewAction) -> ActionType
    ) -> AnyActionHandler<NewAction> {
        eraseToAnyActionHandler().contramap(transform)
    }

    /// Returns this handler with its type hidden.
    @inlinable
    public func eraseToAnyActionHandler() -> AnyActionHandler<ActionType> { AnyActionHandler(self) }
}
