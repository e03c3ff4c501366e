// SPDX-License-Identifier: Apache-2.0

/// The owner's callbacks for losses and misuse; each runs in the drain.
public struct DrainHooks<Element: Sendable>: Sendable {
    /// Called once for an input that led to too many outputs, some of them dropped, when the rest of its work is done.
    public var onCut: @Sendable (DrainCut<Element>) -> Void
    /// Called for an element dropped because it arrived after the queue was closed.
    public var onLate: @Sendable (Element) -> Void
    /// Called for a use that the documentation forbids.
    public var onMisuse: @Sendable (Misuse) -> Void

    /// Creates the three hooks; misuse goes to standard error by default.
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
