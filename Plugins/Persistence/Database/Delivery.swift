// SPDX-License-Identifier: Apache-2.0

/// Waits until all receivers have dealt with what some changes told them; belongs to the database.
final class Delivery {
    /// How many answers have not been dealt with.
    private var open = 0
    /// The task that waits until no answer is open; nil while nobody waits.
    private var waiter: CheckedContinuation<Void, Never>?

    /// One more answer is on its way.
    func begin() { open += 1 }

    /// One answer has been dealt with.
    func end() {
        open -= 1
        guard open == 0, let waiter else { return }
        self.waiter = nil
        waiter.resume()
    }

    /// Resumes once no answer is open; called once.
    func wait(_ waiter: CheckedContinuation<Void, Never>) {
        if open == 0 { waiter.resume() } else { self.waiter = waiter }
    }
}
