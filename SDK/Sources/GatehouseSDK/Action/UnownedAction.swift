// SPDX-License-Identifier: Apache-2.0

/// An action that somebody else holds, for a host that seldom looks at it and must not count a reference each time.
@safe
public struct UnownedAction {
    /// The mark of the action; all bits set for none, which no action has.
    @usableFromInline var mark: UInt64
    /// The bits of its content, held by whoever holds the action; as a reference the compiler would count it on the way here.
    @usableFromInline let content: UInt

    /// No action.
    @inlinable
    public init() {
        mark = .max
        content = 0
    }

    /// An action that is held elsewhere for as long as anybody looks here.
    @inlinable
    public init(_ action: borrowing AnyAction) {
        mark = action.mark
        content = unsafe unsafeBitCast(action.content, to: UInt.self)
    }

    /// Lets go of the action.
    @inlinable
    public mutating func clear() { mark = .max }

    /// Its type; nil for no action.
    @inlinable public var type: ActionType? {
        mark == .max ? nil : ActionType(id: mark & ~AnyAction.errorMark)
    }

    /// The action, held from here on; nil for none.
    public var action: AnyAction? {
        mark == .max
            ? nil : AnyAction(mark: mark, content: unsafe unsafeBitCast(content, to: ActionContent?.self))
    }
}
