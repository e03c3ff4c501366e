// SPDX-License-Identifier: Apache-2.0

/// What a queue tells its owner about losses and misuse; each hook runs in the drain.
public struct DrainHooks<Element: Sendable>: Sendable {
    /// A chain of synchronous outputs was cut: the limit, and the last elements of the chain, the dropped one last.
    public var onLoop: @Sendable (_ limit: Int, _ recent: [Element]) -> Void
    /// An element came after the queue was closed, and was dropped.
    public var onLate: @Sendable (Element) -> Void
    /// Something was done that the documentation forbids.
    public var onMisuse: @Sendable (Misuse) -> Void

    /// All three; misuse goes to standard error unless given.
    public init(
        onLoop: @escaping @Sendable (_ limit: Int, _ recent: [Element]) -> Void,
        onLate: @escaping @Sendable (Element) -> Void,
        onMisuse: (@Sendable (Misuse) -> Void)? = nil
    ) {
        self.onLoop = onLoop
        self.onLate = onLate
        self.onMisuse = onMisuse ?? { StandardError.report($0) }
    }
}
