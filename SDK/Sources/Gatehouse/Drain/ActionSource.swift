// SPDX-License-Identifier: Apache-2.0

/// Who created an action: a place in code or a line of input, and the plugin instance it came from.
///
/// Plain data of two words: everything but the line is told once for each place and then known by a number, so copying a
/// source counts no references. It travels unchanged through lifts, gates, projections and maps; only the action is
/// transformed. Two sources are equal when they name the same place, whatever led to the actions.
public struct ActionSource: Sendable {
    /// The 1-based line in `file`.
    public let line: UInt
    /// The number of everything else.
    @usableFromInline let origin: UInt32
    /// What led to the action; `unknown` outside of a host.
    public var cause = ActionCause.unknown

    /// Describes a place that is not the caller's own.
    ///
    /// At most 65,536 different combinations of file, function and info are told apart in the life of a process; of those
    /// that come later the info is left out, and of those that come later still all but the line.
    public init(file: String, function: String, line: UInt, info: String?) {
        self.line = line
        origin = OriginTable.shared.number(of: file, function, info, near: line)
    }

    /// A known origin on some line.
    @inlinable
    init(line: UInt, origin: UInt32, cause: ActionCause) {
        self.line = line
        self.origin = origin
        self.cause = cause
    }

    /// The place of this very call, unless the arguments say otherwise.
    @inlinable
    public static func here(
        file: String = #file, function: String = #function, line: UInt = #line, info: String? = nil
    ) -> ActionSource {
        ActionSource(file: file, function: function, line: line, info: info)
    }

    /// The source file for actions made in code; the input's name for actions that arrived from outside.
    public var file: String { OriginTable.shared[origin].file }
    /// The function that made the action; empty for actions that arrived from outside.
    public var function: String { OriginTable.shared[origin].function }
    /// Free text. In the daemon, unless the plugin has written one: the id of the instance that emitted the action, nil for input.
    public var info: String? { OriginTable.shared[origin].info }
    /// Who emitted the action, as its host knows whatever is in `info`: the id of an instance; nil for input and outside of a host.
    public var emitter: String? { OriginTable.shared[origin].emitter }

    /// The same place with other free text; by nobody that is known.
    public func with(info: String?) -> ActionSource {
        ActionSource(file: file, function: function, line: line, info: info)
    }

    /// The same place with somebody who emitted the action, whose name is the free text too where there is none. For hosts.
    public func emitted(by emitter: String) -> ActionSource {
        let info = info ?? emitter
        return ActionSource(
            line: line,
            origin: OriginTable.shared.number(of: file, function, info, by: emitter, near: line),
            cause: .unknown)
    }

    /// The same place, for an action that something else has led to.
    @inlinable
    public func caused(by cause: ActionCause) -> ActionSource {
        ActionSource(line: line, origin: origin, cause: cause)
    }

    /// Another line of the same file.
    @inlinable
    public func at(line: UInt) -> ActionSource { ActionSource(line: line, origin: origin, cause: cause) }

    /// Whether two sources differ in nothing but the line; compares two numbers.
    @inlinable
    public func hasSameOrigin(as other: ActionSource) -> Bool { origin == other.origin }

    /// File and line, for messages.
    var place: String { "\(file):\(line)" }
}

extension ActionSource: Hashable {
    @inlinable
    public static func == (one: ActionSource, other: ActionSource) -> Bool {
        one.line == other.line && one.origin == other.origin
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(line)
        hasher.combine(origin)
    }
}

extension ActionSource: Codable {
    /// The members, as the properties are called.
    private enum CodingKeys: String, CodingKey {
        case file, function, line, info
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            file: try container.decode(String.self, forKey: .file),
            function: try container.decode(String.self, forKey: .function),
            line: try container.decode(UInt.self, forKey: .line),
            info: try container.decodeIfPresent(String.self, forKey: .info))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(file, forKey: .file)
        try container.encode(function, forKey: .function)
        try container.encode(line, forKey: .line)
        try container.encodeIfPresent(info, forKey: .info)
    }
}
