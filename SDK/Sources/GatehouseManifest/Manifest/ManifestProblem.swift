// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// One thing that is wrong with a manifest or a note, and where.
public struct ManifestProblem: Equatable, Sendable {
    /// What is wrong.
    public enum Fault: Equatable, Sendable {
        /// The text is not JSON.
        case syntax(JSONSyntaxError.Reason)
        /// A member is not what it should be; the three texts complete "expected …, found …; …".
        case mismatch(expected: String, found: String, advice: String)
    }

    /// The line of the first wrong character, from 1.
    public let line: Int
    /// The column of the first wrong character in Unicode scalars, from 1.
    public let column: Int
    /// The member at fault, such as `consumes[1]`; empty if it is the text as a whole.
    public let key: String
    /// What is wrong there.
    public let fault: Fault

    /// Puts place and fault together.
    public init(line: Int, column: Int, key: String, fault: Fault) {
        self.line = line
        self.column = column
        self.key = key
        self.fault = fault
    }

    /// A member that is not what it should be.
    init(at position: TextPosition, key: String, expected: String, found: String, advice: String) {
        self.init(
            line: position.line, column: position.column, key: key,
            fault: .mismatch(expected: expected, found: found, advice: advice))
    }

    /// A text that is not JSON.
    init(_ error: JSONSyntaxError) {
        self.init(
            line: error.position.line, column: error.position.column, key: "", fault: .syntax(error.reason))
    }

    /// What is wrong without the place, for tools that print the place in a form of their own.
    public var sentence: String {
        switch fault {
        case .syntax(let reason): "\(reason)"
        case .mismatch(let expected, let found, let advice):
            (key.isEmpty ? "" : "\"\(key)\": ") + "expected \(expected), found \(found); \(advice)"
        }
    }
}

extension ManifestProblem: CustomStringConvertible {
    /// Place and sentence: `3:12: "id": expected …, found …; …`.
    public var description: String { "\(line):\(column): \(sentence)" }
}
