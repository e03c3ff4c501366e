// SPDX-License-Identifier: Apache-2.0

/// Keeps an observer registered until it is released or `cancel` is called.
public final class Subscription: Sendable {
    /// Ends the registration; called by `cancel` and once more at deinitialization.
    private let remove: @Sendable () -> Void

    /// Creates a subscription that ends by calling a closure, which must allow being called twice.
    public init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    deinit { remove() }

    /// Removes the observer; callable from any thread, any number of times.
    ///
    /// After this returns in the drain, no notification begins; elsewhere, one in progress may still finish.
    public func cancel() { remove() }
}
