// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import Gatehouse

/// Keeps something a middleware was given, for use after the middleware has returned.
final class Kept<Value: Sendable>: Sendable {
    private let kept = Lock<Value?>(nil)

    /// An object that keeps nothing yet.
    init() {}

    /// What was kept last.
    var value: Value? {
        get { kept.withLock { $0 } }
        // The old value goes after the lock: what it does when it goes may come back here.
        set {
            let old = kept.withLock { kept in
                let old = kept
                kept = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }
}
