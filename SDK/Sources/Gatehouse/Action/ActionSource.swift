// SPDX-License-Identifier: Apache-2.0

/// Who created an action: a place in code or a line of input, and the plugin instance it came from.
///
/// Pure data. It travels unchanged through lifts, gates, projections and maps; only the action is transformed.
public struct ActionSource: Sendable, Hashable, Codable {
    /// The source file for actions made in code; the input's name for actions that arrived from outside.
    public let file: String
    /// The function that made the action; empty for actions that arrived from outside.
    public let function: String
    /// The 1-based line in `file`.
    public let line: UInt
    /// Free text. In the daemon: the id of the instance that emitted the action, nil for input.
    public let info: String?

    /// Describes a place that is not the caller's own.
    @inlinable
    public init(file: String, function: String, line: UInt, info: String?) {
        self.file = file
        self.function = function
        self.line = line
        self.info = info
    }

    /// The place of this very call, unless the arguments say otherwise.
    @inlinable
    public static func here(
        file: String = #file, function: String = #function, line: UInt = #line, info: String? = nil
    ) -> ActionSource {
        ActionSource(file: file, function: function, line: line, info: info)
    }

    /// The same place with other free text.
    @inlinable
    public func with(info: String?) -> ActionSource {
        ActionSource(file: file, function: function, line: line, info: info)
    }
}
