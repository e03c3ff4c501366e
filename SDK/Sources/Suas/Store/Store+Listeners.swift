// SPDX-License-Identifier: Apache-2.0

extension Store {
    /// Tells the callback about changes of one entry, in the store's turn, until it is removed.
    ///
    /// The key is the type's name unless given. The callback hears of an action if a reducer changed the entry, the entry
    /// has this type before and after, and the filter, given both values, says so.
    @discardableResult
    public func addListener<Value>(
        forStateType type: Value.Type, stateKey: StateKey? = nil,
        if filter: @escaping FilterFunction<Value> = alwaysFilter,
        callback: @escaping @Sendable (_ state: Value) -> Void
    ) -> Subscription<Value> {
        let key = stateKey ?? State.key(of: type)
        return add(key: key, select: { $0.value(forKey: key, ofType: type) }, filter, callback)
    }

    /// Tells the callback about what a selector makes of the state, in the store's turn, until it is removed.
    ///
    /// The callback hears of an action if any reducer changed its entry, the selector does not give nil for the state
    /// after, and the filter, given what it selects before and after, says so; with nil before, the filter is not asked.
    @discardableResult
    public func addListener<Value>(
        if filter: @escaping FilterFunction<Value> = alwaysFilter,
        stateSelector: @escaping @Sendable (_ state: State) -> Value?,
        callback: @escaping @Sendable (_ selected: Value) -> Void
    ) -> Subscription<Value> {
        add(key: nil, select: stateSelector, toldOfFirst: true, filter, callback)
    }

    /// Tells the callback about changes of any entry, in the store's turn, until it is removed.
    @discardableResult
    public func addListener(
        if filter: @escaping FilterFunction<State> = alwaysFilter,
        callback: @escaping @Sendable (_ state: State) -> Void
    ) -> Subscription<State> {
        add(key: nil, select: { $0 }, filter, callback)
    }

    /// Tells the listener about each dispatched action, in the store's turn, ahead of the middlewares.
    ///
    /// It also hears of async actions and of those that a middleware swallows; an action whose `next` comes late is not told
    /// again.
    @discardableResult
    public func addActionListener(
        actionListener: @escaping @Sendable (_ action: any Action) -> Void
    ) -> ActionSubscription {
        let registration = ListenerRegistration()
        body.add(ActionListener(registration: registration, tell: actionListener))
        return ActionSubscription(registration: registration, body: body)
    }

    /// Adds a listener that looks at one value of the state; `toldOfFirst` is whether it hears of a value where there was
    /// none before.
    private func add<Value>(
        key: StateKey?, select: @escaping @Sendable (State) -> Value?, toldOfFirst: Bool = false,
        _ filter: @escaping FilterFunction<Value>, _ callback: @escaping @Sendable (Value) -> Void
    ) -> Subscription<Value> {
        let registration = ListenerRegistration()
        let listener = StateListener(registration: registration, key: key) { old, new in
            guard let new = select(new) else { return }
            guard let old = select(old) else {
                if toldOfFirst { callback(new) }
                return
            }
            if filter(old, new) { callback(new) }
        }
        body.add(listener)
        return Subscription(
            end: ActionSubscription(registration: registration, body: body),
            inform: { state in
                if let value = select(state) { callback(value) }
            })
    }
}
