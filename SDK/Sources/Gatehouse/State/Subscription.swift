// SPDX-License-Identifier: Apache-2.0

/// Keeps an observer registered; the observer is removed when this goes or `cancel` is called.
public final class Subscription: Sendable {
    /// Ends the registration; called by `cancel` and once more when this goes.
    private let remove: @Sendable () -> Void

    /// A subscription that ends by calling a closure, which must allow being called twice.
    public init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    deinit { remove() }

    /// Removes the observer; callable from any thread, any number of times. No notification begins after
    /// this has returned in the drain; elsewhere one that is under way finishes.
    public func cancel() { remove() }
}
