// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Whether the middleware that received a `next` is still in `onAction`.
final class Passage: Sendable {
    /// True until the middleware returns; only ever changed to false.
    private let open = Atomic(true)

    /// Whether the passage is currently open.
    var isOpen: Bool { open.load(ordering: .relaxed) }

    /// Closes the passage permanently.
    func close() { open.store(false, ordering: .relaxed) }
}
