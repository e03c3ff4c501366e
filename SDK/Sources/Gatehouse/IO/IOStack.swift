// SPDX-License-Identifier: Apache-2.0

/// The IOs that several middlewares returned for one action, run last to first.
///
/// A composition keeps one stack and fills it again for each action, as long as nobody else holds it.
public final class IOStack<OutputActionType: Sendable>: IOBody {
    /// In the order in which the middlewares handled the action.
    @usableFromInline var ios: [IO<OutputActionType>] = []

    /// A stack without work.
    @inlinable
    public init() {}

    /// Puts one on top, unless there is nothing to run.
    @inlinable
    public func push(_ io: IO<OutputActionType>) {
        if !io.isPure { ios.append(io) }
    }

    /// Everything pushed, as one IO; what was pushed alone is handed on bare.
    @inlinable
    public var io: IO<OutputActionType> {
        switch ios.count {
        case 0: .pure()
        case 1: ios[0]
        default: IO(body: self)
        }
    }

    /// Runs the last first: the onion order of every composition.
    @inlinable
    public func run(_ output: AnyActionHandler<OutputActionType>) {
        var index = ios.count
        while index > 0 {
            index -= 1
            ios[index].run(output)
        }
    }

    /// This stack emptied, with its storage, if nobody else holds it; otherwise another one.
    ///
    /// Call it before the first middleware handles the next action: a body that is still held cannot be filled again.
    @inlinable
    public static func reuse(_ stack: inout IOStack) -> IOStack {
        if isKnownUniquelyReferenced(&stack) {
            if !stack.ios.isEmpty { stack.ios.removeAll(keepingCapacity: true) }
        } else {
            stack = IOStack()
        }
        return stack
    }
}
