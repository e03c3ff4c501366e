// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// The state as instances may read it that were granted `state`.
///
/// `@unchecked Sendable`: `host` is touched in the store's drain only; `value` asks the drain first, and gives nil to
/// everybody else.
final class StateWindow: @unchecked Sendable {
    /// The state; held weakly, because the state holds the instances that ask.
    private weak var host: HostState?
    /// The store's drain, nil before there is a store.
    private let drain = Mutex<Drain?>(nil)

    /// Nothing to see yet.
    init() {}

    /// Says whose state it is; called in the drain, before the first action.
    func belong(to host: HostState, drain: Drain) {
        self.host = host
        self.drain.withLock { $0 = drain }
    }

    /// Shows nothing from here on, and lets go of the store; called in the drain.
    func close() {
        host = nil
        drain.withLock { $0 = nil }
    }

    /// The state at a place as it is now; nil outside the drain, in an instance's reducer, which holds a slice for
    /// itself, and when a plugin's state does not encode.
    func value(at pointer: JSONPointer) -> Value? {
        guard drain.withLock({ $0 })?.isCurrent == true, let host, !host.generation.isReducing else {
            return nil
        }
        return (try? host.tree.value(at: pointer)) ?? nil
    }
}
