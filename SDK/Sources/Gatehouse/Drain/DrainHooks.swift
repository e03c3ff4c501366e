// SPDX-License-Identifier: Apache-2.0

/// What a queue tells its owner about losses and misuse; each hook runs in the drain.
public struct DrainHooks<Element: Sendable>: Sendable {
    /// One input led to more outputs than it may, and some were dropped; called once, when what is left of it is done.
    public var onCut: @Sendable (DrainCut<Element>) -> Void
    /// An element came after the queue was closed, and was dropped.
    public var onLate: @Sendable (Element) -> Void
    /// Something was done that the documentation forbids.
    public var onMisuse: @Sendable (Misuse) -> Void

    /// All three; misuse goes to standard error unless given.
    public init(
        onCut: @escaping @Sendable (DrainCut<Element>) -> Void,
        onLate: @escaping @Sendable (Element) -> Void,
        onMisuse: (@Sendable (Misuse) -> Void)? = nil
    ) {
        self.onCut = onCut
        self.onLate = onLate
        self.onMisuse = onMisuse ?? { StandardError.report($0) }
    }
}
