// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A plugin whose actions have every shape for which the build tool generates code.
struct Shapes: Plugin {
    /// Stands for the enum below, which is declared elsewhere.
    typealias Action = ShapesAction

    static func middleware() -> Reader { .doNothing() }
}

/// A number that may be absent, under a name that does not tell.
typealias Perhaps = Int?

/// An object without required members.
struct Address: Codable, Sendable {
    /// A member that may be absent.
    var street: String?
    /// An array inside an object.
    var lines: [UInt8]?
}

/// An enum with raw values.
enum Colour: String, Codable, Sendable {
    /// A value that differs from its name.
    case red = "r/g"
    /// A second case beside `red`.
    case blue
}

// A comment with "quotes" and { braces ( before it.

/// What the plugin hears: `case` in a comment is none.
indirect enum ShapesAction: PluginAction, CustomStringConvertible {
    /// Scalars of all kinds.
    case scalars(bool: Bool, text: String, double: Double, float: Float)
    /// Integers of all widths.
    case integers(a: Int8, b: Int16, c: Int32, d: Int64, e: UInt8, f: UInt16, g: UInt32, h: UInt64, i: UInt)
    /// Integers that only an encoder knows.
    case wide(a: Int128, b: UInt128?)
    /// Scalars that may be absent.
    case optional(bool: Bool?, text: String?, double: Double?, float: Float?, int: Int?, byte: UInt8?)
    /// Arrays of several kinds of elements.
    case arrays(ints: [Int], texts: [String]?, matrix: [[Double]], gaps: [Int?], floats: [Float])
    /// One value each, without label.
    case whole(Int), maybe(Int?), text(String), json(Value), maybeJSON(Value?), list([String])
    /// The same of types that decode themselves.
    case place(Address), maybePlace(Address?), kind(Colour), tape(Tape), table([String: Int])
    /// Several values without label.
    case pair(Int, Int)
    /// A label beside a value without.
    case mixed(String, colour: Colour?)
    /// Names that the compiler does not ask for, and default values.
    case unnamed(_ x: Int, y: Int = 3, _: Bool? = true)
    /// Types that decode themselves.
    case labelled(place: Address, maybe: Address?, kinds: [Colour], value: Value, json: Value?)
    /// A type that does not look optional, and one that is so twice.
    case hidden(Perhaps), hiddenLabel(a: Perhaps, b: Int??)
    /// Generic types, in which commas part no values.
    case generic(a: Dictionary<String, [Int]>, b: Array<String>, Optional<Int>)
    /// Cases and labels that are keywords of Swift.
    case `default`(in: Int), `switch`, encoded(self: Int)
    /// Itself, in the compiler's own form.
    case nested(ShapesAction?)
    /// Two cases without values on one line.
    case closed; case open

    /// Holds what looks like cases, and braces in texts.
    var description: String {
        switch self {
        case .closed: #"closed "} " \#("with } brace")"#
        case .whole(let number) where number / 2 > 3: "\("{") \(number / 2) /* no comment"
        default:
            """
            \(self.sample) } case none(Int)
            """
        }
    }

    /// What the name alone does not tell.
    private var sample: String { String(reflecting: (try? Value(encoding: self))?.json()) }

    /// A function beside a case of the same name, which calls cannot mistake.
    static func pair(of number: Int) -> ShapesAction { .pair(number, number) }
}
