// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import Gatehouse

/// Keeps something a callback was given, for use after the callback has returned.
final class Kept<Value: Sendable>: Sendable {
    private let kept = Lock<Value?>(nil)

    /// What was kept last.
    var value: Value? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
