// SPDX-License-Identifier: Apache-2.0

/// The origin of an action: a place in code or a line of input, and the plugin instance it came from.
///
/// A plain value of two words: everything but the line is registered once per place and then identified by a number, so copying
/// a source counts no references. It travels unchanged through lifts, gates, projections and maps; they transform only the
/// action. Two sources are equal when they name the same place, whatever caused the actions.
public struct ActionSource: Sendable {
    /// The 1-based line in `file`.
    public let line: UInt
    /// The number of everything else.
    @usableFromInline let origin: UInt32
    /// The cause of the action; `unknown` outside a host.
    public var cause = ActionCause.unknown

    /// Creates a source for a place other than the caller's own.
    ///
    /// A process distinguishes at most 65,536 combinations of file, function and info. Beyond that, a new combination loses its
    /// info; if its place without info is new too, it loses everything but the line.
    public init(file: String, function: String, line: UInt, info: String?) {
        self.line = line
        origin = OriginTable.shared.number(of: file, function, info, near: line)
    }

    /// Creates a source on a line of a known origin.
    @inlinable
    init(line: UInt, origin: UInt32, cause: ActionCause) {
        self.line = line
        self.origin = origin
        self.cause = cause
    }

    /// Returns the place of this call, unless the arguments say otherwise.
    @inlinable
    public static func here(
        file: String = #file, function: String = #function, line: UInt = #line, info: String? = nil
    ) -> ActionSource {
        ActionSource(file: file, function: function, line: line, info: info)
    }

    /// The source file of an action made in code; the input's name for an action from outside.
    public var file: String { OriginTable.shared[origin].file }
    /// The function that made the action; empty for an action from outside.
    public var function: String { OriginTable.shared[origin].function }
    /// Free text.
    ///
    /// In the daemon, unless the plugin has written one: the id of the instance that emitted the action, nil for input.
    public var info: String? { OriginTable.shared[origin].info }
    /// The id of the instance that emitted the action, whatever `info` says; nil for input and outside a host.
    public var emitter: String? { OriginTable.shared[origin].emitter }

    /// Returns the same place with other free text and no emitter.
    public func with(info: String?) -> ActionSource {
        ActionSource(file: file, function: function, line: line, info: info)
    }

    /// Returns the same place with an emitter, whose name also becomes the free text if there is none; for hosts.
    public func emitted(by emitter: String) -> ActionSource {
        let info = info ?? emitter
        return ActionSource(
            line: line,
            origin: OriginTable.shared.number(of: file, function, info, by: emitter, near: line),
            cause: .unknown)
    }

    /// Returns the same place with another cause.
    @inlinable
    public func caused(by cause: ActionCause) -> ActionSource {
        ActionSource(line: line, origin: origin, cause: cause)
    }

    /// Returns another line of the same file.
    @inlinable
    public func at(line: UInt) -> ActionSource { ActionSource(line: line, origin: origin, cause: cause) }

    /// Returns whether two sources differ at most in the line; compares two numbers.
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
    /// The encoded form.
    private struct Coded: Codable {
        /// The place in code.
        let file, function: String
        /// Its line, from 1.
        let line: UInt
        /// The remark; nil for none.
        let info: String?
    }

    public init(from decoder: any Decoder) throws {
        let coded = try Coded(from: decoder)
        self.init(file: coded.file, function: coded.function, line: coded.line, info: coded.info)
    }

    public func encode(to encoder: any Encoder) throws {
        try Coded(file: file, function: function, line: line, info: info).encode(to: encoder)
    }
}
