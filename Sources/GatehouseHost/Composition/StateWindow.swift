// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// Lets instances that are granted `state` look at the whole state, in the drain only.
///
/// `@unchecked Sendable`: `tree` is written once, before `drain` is set under its lock; it is read only by whoever has
/// seen that drain there and is inside it, one thread at a time.
final class StateWindow: @unchecked Sendable {
    private var tree: StateTree?
    private let drain = Mutex<Drain?>(nil)

    /// A window with nothing behind it yet.
    init() {}

    /// Shows a tree to whoever looks from inside the drain; called once, before the first action.
    func open(on tree: StateTree, in drain: Drain) {
        self.tree = tree
        self.drain.withLock { $0 = drain }
    }

    /// Looks through the window; nil outside the drain, and for a slice that does not encode.
    var reader: HostStateReader {
        HostStateReader { [self] pointer in
            guard let drain = drain.withLock({ $0 }), drain.isCurrent, let tree else { return nil }
            return (try? tree.value(at: pointer)) ?? nil
        }
    }
}
