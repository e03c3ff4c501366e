// SPDX-License-Identifier: Apache-2.0

/// How much work one input may lead to, and how much may wait; each at least 1.
///
/// An *input* is what comes from outside the drain: an element that a thread hands over, or one that an effect emits late.
/// Its *outputs* are what is emitted synchronously in answer to it, to its outputs, and so on.
public struct DrainLimits: Sendable, Equatable {
    /// Outputs emitted one in answer to the other.
    public var chain: Int
    /// Outputs of one input altogether.
    public var actions: Int
    /// Bytes of the outputs of one input altogether, as far as the owner of the queue counts them; see `DrainQueue.takes`.
    public var bytes: Int
    /// Elements that wait before those who bring more from outside have to wait too; see `DrainQueue.dispatch`.
    public var waiting: Int

    /// A thousand in a chain, and no other limit unless given.
    public init(chain: Int = 1000, actions: Int = .max, bytes: Int = .max, waiting: Int = .max) {
        self.chain = chain
        self.actions = actions
        self.bytes = bytes
        self.waiting = waiting
    }

    /// Ends the program where a limit is not at least 1.
    @usableFromInline
    func check() {
        for (name, limit) in [("chain", chain), ("actions", actions), ("bytes", bytes), ("waiting", waiting)]
        where limit < 1 {
            trap("each limit of a store must be 1 or more, and \(name) is \(limit)")
        }
    }
}
