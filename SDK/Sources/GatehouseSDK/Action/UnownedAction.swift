// SPDX-License-Identifier: Apache-2.0

/// An action that somebody else holds, for a host that seldom looks at it and must not count a reference each time.
@safe
public struct UnownedAction {
    /// The mark of the action; all bits set for none, which no action has.
    @usableFromInline var mark: UInt64
    /// Its content, held by whoever holds the action.
    @usableFromInline let content: Unmanaged<ActionContent>?

    /// No action.
    @inlinable
    public init() {
        mark = .max
        unsafe content = nil
    }

    /// An action that is held elsewhere for as long as anybody looks here.
    @inlinable
    public init(_ action: borrowing AnyAction) {
        mark = action.mark
        unsafe content = action.content.map { unsafe Unmanaged.passUnretained($0) }
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
        mark == .max ? nil : unsafe AnyAction(mark: mark, content: content?.takeUnretainedValue())
    }
}
