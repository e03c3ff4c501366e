// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The expectation at one place of a payload: a value, or an object of tests which must all hold.
indirect enum Expectation: Sendable {
    /// This value, equal by value.
    case equal(Value)
    /// Anything that the other one does not accept, or nothing.
    case not(Expectation)
    /// Any value at all for true, and no value for false.
    case exists(Bool)
    /// One of these values.
    case oneOf([Value])
    /// A number below this one.
    case below(Value)
    /// A number above this one.
    case above(Value)
    /// This number or one below it.
    case atMost(Value)
    /// This number or one above it.
    case atLeast(Value)
    /// A text that begins with this one, byte by byte.
    case prefix(String)
    /// Holds when each of these expectations holds.
    case all([Expectation])

    /// Reads a value to be equal to, or an object of tests; `path` is the way to it, for errors.
    init(_ value: Value, at path: [any CodingKey]) throws(CodingFailure) {
        guard case .object(let members) = value else {
            self = .equal(value)
            return
        }
        var tests: [Expectation] = []
        for (name, operand) in members { tests.append(try Self.read(name, operand, at: path)) }
        guard let first = tests.first else {
            throw CodingFailure(
                at: path, expected: "at least one test, or an empty object after \"is\"", found: "none")
        }
        self = tests.count == 1 ? first : .all(tests)
    }

    /// Reads one test of an object of tests, such as `exists`; `path` is the way to the object.
    private static func read(
        _ name: String, _ operand: Value, at path: [any CodingKey]
    ) throws(CodingFailure) -> Expectation {
        let place = path + [SettingsName(stringValue: name)]
        switch name {
        case "is": return .equal(operand)
        case "not": return .not(try Expectation(operand, at: place))
        case "exists":
            guard let exists = operand.boolValue else {
                throw CodingFailure(at: place, expected: "a boolean", found: operand.kindName)
            }
            return .exists(exists)
        case "in":
            guard let values = operand.arrayValue, !values.isEmpty else {
                throw CodingFailure(
                    at: place, expected: "an array of at least one value",
                    found: operand.arrayValue == nil ? operand.kindName : "an empty one")
            }
            return .oneOf(values)
        case "prefix":
            guard let text = operand.stringValue else {
                throw CodingFailure(at: place, expected: "a text", found: operand.kindName)
            }
            return .prefix(text)
        case "<": return .below(try number(operand, at: place))
        case ">": return .above(try number(operand, at: place))
        case "<=": return .atMost(try number(operand, at: place))
        case ">=": return .atLeast(try number(operand, at: place))
        default:
            throw CodingFailure(
                at: path,
                expected:
                    "a value, the tests not, exists, in, <, <=, >, >= or prefix in an object, or an object itself after \"is\"",
                found: "the member \(Value.string(name).json())")
        }
    }

    /// Returns the operand of a comparison.
    private static func number(_ operand: Value, at path: [any CodingKey]) throws(CodingFailure) -> Value {
        guard operand.isLess(than: operand) != nil else {
            throw CodingFailure(at: path, expected: "a number", found: operand.kindName)
        }
        return operand
    }

    /// Returns whether the value at the place is expected; nil for no value.
    func takes(_ found: Value?) -> Bool {
        switch self {
        case .equal(let value): found == value
        case .not(let other): !other.takes(found)
        case .exists(let exists): (found != nil) == exists
        case .oneOf(let values): found.map(values.contains) ?? false
        case .below(let limit): found?.isLess(than: limit) ?? false
        case .above(let limit): found.flatMap { limit.isLess(than: $0) } ?? false
        case .atMost(let limit): found.flatMap { limit.isLess(than: $0) } == false
        case .atLeast(let limit): found?.isLess(than: limit) == false
        case .prefix(let text): found?.stringValue?.utf8.starts(with: text.utf8) ?? false
        case .all(let expectations): expectations.allSatisfy { $0.takes(found) }
        }
    }
}
