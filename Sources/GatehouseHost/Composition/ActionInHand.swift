// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// What instances may ask about the action that is being processed: who dispatched it, and the state it meets.
///
/// `@unchecked Sendable`: `dispatcher` and `host` are touched in the store's drain only; `value` asks the drain first,
/// and gives nil to everybody else.
final class ActionInHand: @unchecked Sendable {
    /// Who dispatched it.
    var dispatcher = ActionSource(file: "", function: "", line: 0, info: nil)
    /// The state; held weakly, because the state holds the instances that ask.
    private weak var host: HostState?
    /// The store's drain, nil before there is a store.
    private let drain = Mutex<Drain?>(nil)

    /// Nothing in hand.
    init() {}

    /// Says whose actions these are; called in the drain, before the first action.
    func belong(to host: HostState, drain: Drain) {
        self.host = host
        self.drain.withLock { $0 = drain }
    }

    /// The state at a place as it is now; nil outside the drain, and when a plugin's state does not encode.
    func value(at pointer: JSONPointer) -> Value? {
        guard drain.withLock({ $0 })?.isCurrent == true, let host else { return nil }
        return (try? host.tree.value(at: pointer)) ?? nil
    }
}
