// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// The state as instances may read it that were granted `state`.
///
/// `@unchecked Sendable`: `state` is touched in the host's drain only; `value` asks the drain first, and gives nil to
/// everybody else.
package final class StateWindow: @unchecked Sendable {
    /// The state; nil before the start and after the end.
    private var state: StateBox<StateTree>?
    /// The host's drain, nil likewise.
    private let drain = Mutex<Drain?>(nil)

    /// Nothing to see yet.
    init() {}

    /// Says what there is to see; called in the drain, before the first action.
    func open(on state: StateBox<StateTree>, in drain: Drain) {
        self.state = state
        self.drain.withLock { $0 = drain }
    }

    /// Shows nothing from here on, and lets go of the host; called in the drain.
    func close() {
        state = nil
        drain.withLock { $0 = nil }
    }

    /// The state at a place as it is now; nil outside the drain, in an instance's reducer, which holds a slice for
    /// itself, and when a plugin's state does not encode.
    func value(at pointer: JSONPointer) -> Value? {
        guard drain.withLock({ $0 })?.isCurrent == true, let state, !state.isReducing else { return nil }
        return (try? state.state.value(at: pointer)) ?? nil
    }
}
