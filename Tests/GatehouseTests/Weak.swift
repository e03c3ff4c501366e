// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import Gatehouse

/// A reference that does not keep its object; lets a closure know the store it is about to belong to.
final class Weak<Object: AnyObject & Sendable>: Sendable {
    /// What the lock guards.
    private struct Reference {
        weak var object: Object?
    }

    private let reference = Lock(Reference())

    /// The object while it lives.
    var value: Object? {
        get { reference.withLock { $0.object } }
        set { reference.withLock { $0.object = newValue } }
    }
}
