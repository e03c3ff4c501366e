// SPDX-License-Identifier: Apache-2.0

/// The end of every output of a store's middlewares: the store's own queue.
///
/// `@unchecked Sendable` (inherited): what is added here is constant and touched only in `emit`; see `ActionSink`.
@usableFromInline
final class StoreSink<Action: Sendable, State>: ActionSink<Action>, @unchecked Sendable {
    /// The store; the cycle this makes with `output` is broken when the store is released.
    @usableFromInline let core: StoreCore<Action, State>

    /// The sink of one store.
    @usableFromInline
    init(_ core: StoreCore<Action, State>) {
        self.core = core
        super.init(drain: core, activity: core.activity)
    }

    @inlinable
    override func emit(_ action: DispatchedAction<Action>) { core.dispatchInside(action) }
}
