// SPDX-License-Identifier: Apache-2.0

/// An action held elsewhere, for a host that seldom looks at it and must not count a reference each time.
@safe
public struct UnownedAction {
    /// The mark of the action; all bits set for none, a mark that no action has.
    @usableFromInline var mark: UInt64
    /// The content; the action's holder keeps it alive.
    @usableFromInline let content: Unmanaged<ActionContent>?

    /// Creates a reference to no action.
    @inlinable
    public init() {
        mark = .max
        unsafe content = nil
    }

    /// Refers to an action that stays held elsewhere for as long as anybody looks here.
    @inlinable
    public init(_ action: borrowing AnyAction) {
        mark = action.mark
        unsafe content = action.content.map { unsafe Unmanaged.passUnretained($0) }
    }

    /// Clears the reference.
    @inlinable
    public mutating func clear() { mark = .max }

    /// The action's type; nil for no action.
    @inlinable public var type: ActionType? {
        mark == .max ? nil : ActionType(id: mark & ~AnyAction.errorMark)
    }

    /// The action, retained from here on; nil for none.
    public var action: AnyAction? {
        mark == .max ? nil : unsafe AnyAction(mark: mark, content: content?.takeUnretainedValue())
    }
}
