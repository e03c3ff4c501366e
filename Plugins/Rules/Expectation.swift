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

    /// The names of the tests.
    private enum Test: String, CaseIterable {
        /// Equal to the operand, also to an object.
        case `is`
        /// Not accepted by the operand.
        case not
        /// Whether there is anything at the place.
        case exists
        /// Equal to one of the operands.
        case `in`
        /// A smaller number than the operand.
        case below = "<"
        /// A greater number than the operand.
        case above = ">"
        /// No greater number than the operand.
        case atMost = "<="
        /// No smaller number than the operand.
        case atLeast = ">="
        /// A text with the operand at its beginning.
        case prefix
    }

    /// Reads a value to be equal to, or an object of tests; `path` is the way to it, for errors.
    init(_ value: Value, at path: [String]) throws(CodingFailure) {
        guard case .object(let members) = value else {
            self = .equal(value)
            return
        }
        var tests: [Expectation] = []
        for (name, operand) in members {
            guard let test = Test(rawValue: name) else {
                throw Self.codingFailure(
                    at: path,
                    "a value, the tests not, exists, in, <, <=, >, >= or prefix in an object, or an object itself behind \"is\"",
                    "the member \(Value.string(name).json())")
            }
            tests.append(try Self.read(test, operand, at: path + [name]))
        }
        guard let first = tests.first else {
            throw Self.codingFailure(at: path, "at least one test, or an empty object behind \"is\"", "none")
        }
        self = tests.count == 1 ? first : .all(tests)
    }

    /// Reads one test of an object of tests, such as `exists`.
    private static func read(
        _ test: Test, _ operand: Value, at path: [String]
    ) throws(CodingFailure) -> Expectation {
        switch test {
        case .is: return .equal(operand)
        case .not: return .not(try Expectation(operand, at: path))
        case .exists:
            guard let exists = operand.boolValue else {
                throw codingFailure(at: path, "a boolean", operand.kindName)
            }
            return .exists(exists)
        case .in:
            guard let values = operand.arrayValue, !values.isEmpty else {
                throw codingFailure(
                    at: path, "an array of at least one value",
                    operand.arrayValue == nil ? operand.kindName : "an empty one")
            }
            return .oneOf(values)
        case .prefix:
            guard let text = operand.stringValue else {
                throw codingFailure(at: path, "a text", operand.kindName)
            }
            return .prefix(text)
        case .below: return .below(try number(operand, at: path))
        case .above: return .above(try number(operand, at: path))
        case .atMost: return .atMost(try number(operand, at: path))
        case .atLeast: return .atLeast(try number(operand, at: path))
        }
    }

    /// Returns the operand of a comparison.
    private static func number(_ operand: Value, at path: [String]) throws(CodingFailure) -> Value {
        guard operand.isLess(than: operand) != nil else {
            throw codingFailure(at: path, "a number", operand.kindName)
        }
        return operand
    }

    /// Creates a failure at a place.
    private static func codingFailure(at path: [String], _ expected: String, _ found: String) -> CodingFailure
    {
        CodingFailure(pointer: JSONPointer(tokens: path), expected: expected, found: found)
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
