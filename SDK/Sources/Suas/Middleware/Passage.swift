// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Whether the middleware that was given a `next` is still in `onAction`.
final class Passage: Sendable {
    /// True until the middleware returns; only ever changed to false.
    private let open = Atomic(true)

    /// Whether the passage is open at this moment.
    var isOpen: Bool { open.load(ordering: .relaxed) }

    /// Closes the passage for good.
    func close() { open.store(false, ordering: .relaxed) }
}
