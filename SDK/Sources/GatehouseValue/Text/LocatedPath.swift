// SPDX-License-Identifier: Apache-2.0

/// The way from a whole text to a part of it.
public struct LocatedPath: Equatable, Sendable {
    /// One step from a value to an element or member of it.
    public enum Step: Equatable, Sendable {
        /// To the member with this key.
        case key(String)
        /// To the element at this place, from 0.
        case index(Int)
    }

    /// The steps from the whole inwards.
    public let steps: [Step]

    /// Creates a path from its steps.
    public init(_ steps: [Step]) { self.steps = steps }

    /// The path without steps, to the whole text.
    public static let whole = LocatedPath([])

    /// Returns the path one step further in.
    public func appending(_ step: Step) -> LocatedPath { LocatedPath(steps + [step]) }

    /// The path as a pointer, which writes both kinds of steps alike.
    public var pointer: JSONPointer {
        JSONPointer(
            tokens: steps.map { step in
                switch step {
                case .key(let key): key
                case .index(let index): String(index)
                }
            })
    }
}

extension LocatedPath: CustomStringConvertible {
    /// The path as code, such as `manifest.consumes[1]`.
    public var description: String {
        steps.enumerated().map { place, step in
            switch step {
            case .key(let key): place == 0 ? key : "." + key
            case .index(let index): "[\(index)]"
            }
        }.joined()
    }
}
