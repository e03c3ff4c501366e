// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// What threads leave that found somebody else draining: two buffers, one to post into and one to work through.
///
/// Posting and swapping hold the lock for a few instructions; nothing is allocated once both buffers have grown.
@usableFromInline
final class Mailbox<Element: Sendable>: Sendable {
    /// One thing that was left.
    @usableFromInline
    enum Letter: Sendable {
        /// An element of the queue.
        case element(Element)
        /// Work of any kind.
        case job(@Sendable () -> Void)
    }

    /// What was posted since the last swap.
    @usableFromInline let letters: Lock<[Letter]>

    /// Nothing in it.
    @inlinable
    init() { letters = Lock([]) }

    /// Adds a letter, and tells within the lock how many wait.
    @inlinable
    func post(_ letter: Letter, _ tell: (Int) -> Void) {
        letters.withLock { letters in
            letters.append(letter)
            tell(letters.count)
        }
    }

    /// Gives all letters in order of arrival for an empty buffer, which is filled from here on.
    @inlinable
    func swap(_ buffer: inout [Letter], _ tell: (Int) -> Void) {
        letters.withLock { letters in
            Swift.swap(&letters, &buffer)
            tell(0)
        }
    }
}
