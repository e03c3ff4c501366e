// SPDX-License-Identifier: Apache-2.0

/// Limits on the work that one input may lead to and on the elements that may wait; each at least 1.
///
/// An *input* comes from outside the drain: an element that a thread dispatches, or one that an effect emits late. Its
/// *outputs* are emitted synchronously in answer to it, to its outputs, and so on.
public struct DrainLimits: Sendable, Equatable {
    /// Outputs in a chain, each answering the previous one.
    public var chain: Int
    /// Outputs of one input altogether.
    public var actions: Int
    /// The bytes of all outputs of one input, as far as the queue's owner counts them; see `DrainQueue.takes`.
    public var bytes: Int
    /// The number of waiting elements at which callers from outside have to wait too; see `DrainQueue.dispatch`.
    public var waiting: Int

    /// Creates limits; by default a chain of 1,000, and no other limit.
    public init(chain: Int = 1000, actions: Int = .max, bytes: Int = .max, waiting: Int = .max) {
        self.chain = chain
        self.actions = actions
        self.bytes = bytes
        self.waiting = waiting
    }

    /// Traps if a limit is less than 1.
    @usableFromInline
    func check() {
        for (name, limit) in [("chain", chain), ("actions", actions), ("bytes", bytes), ("waiting", waiting)]
        where limit < 1 {
            trap("each limit of a store must be 1 or more, and \(name) is \(limit)")
        }
    }
}
