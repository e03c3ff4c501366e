// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// Whether a listener is still registered: until it is removed, or one of the objects it is linked to is gone.
final class ListenerRegistration: Sendable {
    /// Returns whether an object still lives.
    typealias Life = @Sendable () -> Bool

    /// The objects it is linked to; nil once it is removed.
    private let lives = Lock<[Life]?>([])

    /// Whether the listener is registered; evaluated outside the lock, because that may release an object.
    var isActive: Bool {
        guard let lives = lives.withLock({ $0 }) else { return false }
        return lives.allSatisfy { $0() }
    }

    /// Ends the registration when the object that `life` checks is gone.
    func link(_ life: @escaping Life) { lives.withLock { $0?.append(life) } }

    /// Ends the registration permanently; callable from any thread.
    func end() { lives.withLock { $0 = nil } }
}
