// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
internal import GatehouseSDK
internal import GatehouseValue
private import Synchronization

extension TestSubject {
    /// Creates a store from its parts.
    init(
        _ parts: sending StoreParts<Action, State>, inbox: TestInbox<Action, State>,
        areSame: @escaping (Action, Action) -> Bool, differences: @escaping (State, State) -> [String]
    ) {
        let changes = Lock(0)
        let store = Store(
            parts, effects: .preferring(inbox.executor), hooks: .tellingTests { inbox.note(problem: $0) })
        let counting = store.observe { _ in changes.withLock { $0 += 1 } }
        self.init(
            dispatch: { store.dispatch($0, from: $1) }, dispatchWire: nil, state: { store.state },
            changes: { withExtendedLifetime(counting) { changes.withLock { $0 } } },
            stop: { store.stop() }, activity: store.activity, areSame: areSame, show: { "\($0)" },
            differences: differences)
    }

    /// Returns the differences of two states, as JSON if they have such a form, otherwise as printed.
    static func differences(_ expected: State, _ found: State) -> [String] {
        guard let expected = expected as? any Encodable, let found = found as? any Encodable,
            let old = try? Value(encoding: expected), let new = try? Value(encoding: found), old != new
        else { return ["expected \(expected)", "found \(found)"] }
        return differences(from: old, to: new)
    }
}

extension AnyInterceptor {
    /// Returns an interceptor that records each action and the state after it, and passes it unchanged.
    static func recorder(_ note: @escaping (ActionType, ActionSource, StateType) -> Void) -> AnyInterceptor {
        AnyInterceptor { action, source, state, _, next in
            next()
            note(action, source, state())
        }
    }
}

extension StoreHooks {
    /// Returns hooks that turn a store's reports into problems.
    static func tellingTests(_ note: @escaping @Sendable (String) -> Void) -> StoreHooks {
        StoreHooks(
            onLoop: { note("\($0)") },
            onLateAction: {
                note(
                    "\($0.dispatcher.file):\($0.dispatcher.line): an action came after the store was gone: \($0.action)"
                )
            },
            onMisuse: { note("\($0)") })
    }
}
