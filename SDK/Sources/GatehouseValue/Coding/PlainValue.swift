// SPDX-License-Identifier: Apache-2.0

/// A type whose JSON form is known without its `Codable` conformance, and equals it.
///
/// The generated coding of a plugin's actions takes such values straight from the tape. The standard scalars, `Value`, and
/// optionals and arrays of these are plain.
public protocol PlainValue: Codable {
    /// Takes the value whose first word is at an index of a tape; nil when it does not fit, for a decoder to explain.
    init?(plain tape: Tape, at index: Int)

    /// The value as JSON; nil when it takes an encoder.
    var plain: Value? { get }

    /// The value of an absent member; nil for types that require one.
    static var absent: Self? { get }

    /// Whether an encoder omits the member.
    var isAbsent: Bool { get }
}

extension PlainValue {
    @inlinable public static var absent: Self? { nil }

    @inlinable public var isAbsent: Bool { false }
}

extension PlainValue where Self: FixedWidthInteger {
    @inlinable
    public init?(plain tape: Tape, at index: Int) {
        guard let value: Self = tape.integer(at: index) else { return nil }
        self = value
    }

    @inlinable public var plain: Value? { Value(self) }
}

extension Int: PlainValue {}
extension Int8: PlainValue {}
extension Int16: PlainValue {}
extension Int32: PlainValue {}
extension Int64: PlainValue {}
extension UInt: PlainValue {}
extension UInt8: PlainValue {}
extension UInt16: PlainValue {}
extension UInt32: PlainValue {}
extension UInt64: PlainValue {}
extension Int128: PlainValue {}
extension UInt128: PlainValue {}

extension Bool: PlainValue {
    @inlinable
    public init?(plain tape: Tape, at index: Int) {
        guard let value = tape.bool(at: index) else { return nil }
        self = value
    }

    @inlinable public var plain: Value? { .bool(self) }
}

extension String: PlainValue {
    @inlinable
    public init?(plain tape: Tape, at index: Int) {
        guard tape.tag(at: index) == TapeTag.string else { return nil }
        self = tape.text(at: index)
    }

    @inlinable public var plain: Value? { .string(self) }
}

extension Double: PlainValue {
    @inlinable
    public init?(plain tape: Tape, at index: Int) {
        guard let value = tape.double(at: index) else { return nil }
        self = value
    }

    @inlinable public var plain: Value? { isFinite ? .double(self) : nil }
}

extension Float: PlainValue {
    /// Rounds twice: to a double, then to a float.
    @inlinable
    public init?(plain tape: Tape, at index: Int) {
        guard let value = tape.double(at: index).map(Float.init), value.isFinite else { return nil }
        self = value
    }

    /// The double with the same shortest text: 0.1 and not 0.10000000149011612.
    @inlinable
    public var plain: Value? {
        let short = Double(description)
        return (short.map(Float.init) == self ? short : Double(self))?.plain
    }
}

extension Value: PlainValue {
    @inlinable
    public init?(plain tape: Tape, at index: Int) { self = TapeView(tape: tape, index: index).value }

    @inlinable public var plain: Value? { self }
}

extension Optional: PlainValue where Wrapped: PlainValue {
    @inlinable
    public init?(plain tape: Tape, at index: Int) {
        if tape.tag(at: index) == TapeTag.null {
            self = .none
        } else {
            guard let value = Wrapped(plain: tape, at: index) else { return nil }
            self = .some(value)
        }
    }

    @inlinable public var plain: Value? { self.map(\.plain) ?? .null }

    @inlinable public static var absent: Self? { .some(nil) }

    @inlinable public var isAbsent: Bool { self == nil }
}

extension Array: PlainValue where Element: PlainValue {
    @inlinable
    public init?(plain tape: Tape, at index: Int) {
        guard tape.tag(at: index) == TapeTag.array else { return nil }
        self = []
        reserveCapacity(tape.count(of: index))
        let last = tape.closing(of: index)
        var place = index + 1
        while place < last {
            guard let element = Element(plain: tape, at: place) else { return nil }
            append(element)
            place = tape.end(of: place)
        }
    }

    @inlinable
    public var plain: Value? {
        var values: [Value] = []
        values.reserveCapacity(count)
        for element in self {
            guard let value = element.plain else { return nil }
            values.append(value)
        }
        return .array(values)
    }
}
