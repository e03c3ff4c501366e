// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// One thing that is wrong in the configuration file, and where.
public struct ConfigurationProblem: Error, Equatable, Sendable {
    /// Whether the configuration can be used in spite of the problem.
    public enum Severity: String, Sendable {
        /// The file is not used.
        case error
        /// The file is used; the text likely says something else than was meant.
        case warning
    }

    /// The file's name as messages show it.
    public let file: String
    /// The beginning of the offending text.
    public let position: TextPosition
    /// The place in the document, empty for the whole; names the offending key even if it is unknown.
    public let pointer: JSONPointer
    /// Whether the configuration can be used in spite of it.
    public let severity: Severity
    /// What was expected and what was found.
    public let reason: Reason

    /// A problem at one place of a file.
    public init(
        file: String, position: TextPosition, pointer: JSONPointer, severity: Severity = .error,
        reason: Reason
    ) {
        self.file = file
        self.position = position
        self.pointer = pointer
        self.severity = severity
        self.reason = reason
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    /// One line: file, line, column, `warning` if it is one, the pointer unless it is the whole, the reason.
    public var description: String {
        var line = "\(file):\(position.line):\(position.column): "
        if severity == .warning { line += "warning: " }
        // As in a JSON string, so that a line feed in a key does not end the line.
        if !pointer.tokens.isEmpty { line += Value.string("\(pointer)").json().dropFirst().dropLast() + ": " }
        return line + reason.description
    }
}
