// SPDX-License-Identifier: Apache-2.0

/// The IOs that several middlewares returned for one action, run last to first.
///
/// A composition keeps one stack and fills it again for each action, as long as nobody else holds it.
public final class IOStack<OutputActionType: Sendable>: IOBody<OutputActionType> {
    /// In the order in which the middlewares handled the action.
    @usableFromInline var bodies: [IOBody<OutputActionType>] = []

    /// An empty stack.
    @inlinable
    public override init() {}

    /// Puts one on top, unless there is nothing to run.
    @inlinable
    public func push(_ io: IO<OutputActionType>) {
        if let body = io.body { bodies.append(body) }
    }

    /// Empties the stack and keeps its storage.
    @inlinable
    public func removeAll() {
        bodies.removeAll(keepingCapacity: true)
    }

    /// Everything pushed, as one IO; what was pushed alone is handed on bare.
    @inlinable
    public var io: IO<OutputActionType> {
        switch bodies.count {
        case 0: .pure()
        case 1: IO(body: bodies[0])
        default: IO(body: self)
        }
    }

    /// Runs the last first: the onion order of every composition.
    @inlinable
    public override func run(_ output: AnyActionHandler<OutputActionType>) {
        var index = bodies.count
        while index > 0 {
            index -= 1
            bodies[index].run(output)
        }
    }

    /// This stack emptied if nobody else holds it, otherwise another one.
    @inlinable
    public static func reuse(_ stack: inout IOStack) -> IOStack {
        if isKnownUniquelyReferenced(&stack) {
            stack.removeAll()
        } else {
            stack = IOStack()
        }
        return stack
    }
}
