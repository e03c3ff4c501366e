// SPDX-License-Identifier: Apache-2.0

extension Store {
    /// Calls the callback after changes of one entry, in the store's turn, until it is removed.
    ///
    /// By default the key is the type's name. The callback is called after an action if a reducer changed the entry, the
    /// entry has this type before and after, and the filter returns true for both values.
    @discardableResult
    public func addListener<Value>(
        forStateType type: Value.Type, stateKey: StateKey? = nil,
        if filter: @escaping FilterFunction<Value> = alwaysFilter,
        callback: @escaping @Sendable (_ state: Value) -> Void
    ) -> Subscription<Value> {
        let key = stateKey ?? State.key(of: type)
        return add(key: key, select: { $0.value(forKey: key, ofType: type) }, filter, callback)
    }

    /// Calls the callback with a selector's value of the state, in the store's turn, until it is removed.
    ///
    /// The callback is called after an action if any reducer changed its entry, the selector does not return nil for the
    /// state after, and the filter returns true for the selected values before and after; with nil before, the filter is not
    /// called.
    @discardableResult
    public func addListener<Value>(
        if filter: @escaping FilterFunction<Value> = alwaysFilter,
        stateSelector: @escaping @Sendable (_ state: State) -> Value?,
        callback: @escaping @Sendable (_ selected: Value) -> Void
    ) -> Subscription<Value> {
        add(key: nil, select: stateSelector, toldOfFirst: true, filter, callback)
    }

    /// Calls the callback after changes of any entry, in the store's turn, until it is removed.
    @discardableResult
    public func addListener(
        if filter: @escaping FilterFunction<State> = alwaysFilter,
        callback: @escaping @Sendable (_ state: State) -> Void
    ) -> Subscription<State> {
        add(key: nil, select: { $0 }, filter, callback)
    }

    /// Calls the listener with each dispatched action, in the store's turn, before the middlewares.
    ///
    /// That includes async actions and actions that a middleware swallows; a late `next` does not call it again.
    @discardableResult
    public func addActionListener(
        actionListener: @escaping @Sendable (_ action: any Action) -> Void
    ) -> ActionSubscription {
        let registration = ListenerRegistration()
        body.add(Listener(registration: registration, tell: actionListener))
        return ActionSubscription(registration: registration, body: body)
    }

    /// Adds a listener of one value of the state; `toldOfFirst` is whether it is called for a value where there was none
    /// before.
    private func add<Value>(
        key: StateKey?, select: @escaping @Sendable (State) -> Value?, toldOfFirst: Bool = false,
        _ filter: @escaping FilterFunction<Value>, _ callback: @escaping @Sendable (Value) -> Void
    ) -> Subscription<Value> {
        let registration = ListenerRegistration()
        body.add(
            Listener(registration: registration) { event in
                if let key, !event.keys.contains(key) { return }
                guard let new = select(event.new) else { return }
                if select(event.old).map({ filter($0, new) }) ?? toldOfFirst { callback(new) }
            })
        return Subscription(
            end: ActionSubscription(registration: registration, body: body),
            inform: { select($0).map(callback) })
    }
}
