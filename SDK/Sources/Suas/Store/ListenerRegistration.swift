// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// Whether a listener still wants to hear: until it is removed, or one of the objects it is linked to is gone.
final class ListenerRegistration: Sendable {
    /// Asks whether an object still lives.
    typealias Life = @Sendable () -> Bool

    /// The objects it is linked to; nil once it is removed.
    private let lives = Lock<[Life]?>([])

    /// Whether it does. Not asked under the lock, because asking may release the object.
    var isActive: Bool {
        guard let lives = lives.withLock({ $0 }) else { return false }
        return lives.allSatisfy { $0() }
    }

    /// Ends it when the object that `life` asks about is gone.
    func link(_ life: @escaping Life) {
        lives.withLock { $0?.append(life) }
    }

    /// Ends the registration for good; callable from any thread.
    func end() {
        lives.withLock { $0 = nil }
    }
}
