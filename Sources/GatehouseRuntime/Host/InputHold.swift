// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Lets all inputs wait, for as long as a reload needs the workers that it replaces to answer what they were given.
///
/// Callable from any thread.
package final class InputHold: Sendable {
    /// Whether inputs wait.
    private let isOn = Atomic(false)
    /// Called after each hold.
    private let onRelease = Mutex<(@Sendable () -> Void)?>(nil)

    /// Whether inputs are to wait.
    var holds: Bool { isOn.load(ordering: .acquiring) }

    /// Lets inputs wait from the next batch on.
    package func begin() { isOn.store(true, ordering: .releasing) }

    /// Lets inputs go on.
    package func end() {
        if isOn.exchange(false, ordering: .acquiringAndReleasing) { onRelease.withLock { $0 }?() }
    }

    /// Calls a body after each hold, on the thread that ends it.
    func onEnd(_ body: @escaping @Sendable () -> Void) { onRelease.withLock { $0 = body } }
}
