// SPDX-License-Identifier: Apache-2.0

/// The IOs that several middlewares returned for one action, run last to first.
///
/// A composition keeps one stack and refills it for each action, as long as nothing else holds it.
public final class IOStack<OutputActionType: Sendable>: IOBody {
    /// The IOs, in the order in which the middlewares handled the action.
    @safe @exclusivity(unchecked) @usableFromInline var ios: [IO<OutputActionType>] = []

    /// Creates an empty stack.
    @inlinable
    public init() {}

    /// Pushes an IO, unless there is nothing to run.
    @inlinable
    public func push(_ io: IO<OutputActionType>) {
        if !io.isPure { ios.append(io) }
    }

    /// Everything pushed, as one IO; a single IO is returned unwrapped.
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

    /// Returns this stack emptied, with its storage, if nothing else holds it; otherwise a new one.
    ///
    /// Call it before the first middleware handles the next action: a body that is still held cannot be refilled.
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
