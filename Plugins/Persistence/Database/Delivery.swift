// SPDX-License-Identifier: Apache-2.0

/// Waits until all receivers have processed some changes; belongs to the database.
final class Delivery {
    /// The number of unprocessed answers.
    private var open = 0
    /// The task that waits until no answer is open; nil for none.
    private var waiter: CheckedContinuation<Void, Never>?

    /// Adds an answer on its way.
    func begin() { open += 1 }

    /// Removes a processed answer.
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
