// SPDX-License-Identifier: Apache-2.0

/// Hands actions to the host as one of its inputs does, and tells when they are processed.
///
/// For plugins that are themselves an input, such as a server: whoever brought something is to be told when it is done. What an
/// instance emits otherwise needs none of it.
///
/// When a call comes back, the host has given its promise: a strict journal has committed what was brought before it was
/// dispatched, and everything that it leads to synchronously is processed.
public struct HostIngress: Sendable {
    /// Why nothing of what was brought was processed.
    public enum Failure: Error, Equatable, Sendable {
        /// The host does not take it, for this reason.
        case refused(String)
        /// The host ends; nothing is taken any more.
        case ended
    }

    /// Says why an action of a type is not to come in by this way, as a sentence; nil where it may.
    public typealias Objection = @Sendable (ActionType) -> String?

    /// What is brought in one call.
    public enum Delivery: Sendable {
        /// An action under its global type.
        case action(AnyAction)
        /// Lines of JSON, each of which is an action in wire form under its global type, and why one of a type is not to come in.
        case lines([UInt8], objection: Objection?)
    }

    /// What became of a delivery.
    public struct Receipt: Equatable, Sendable {
        /// A line that was not taken.
        public struct Refusal: Equatable, Sendable {
            /// The line, from 1.
            public let line: Int
            /// Where in it, from 1, in Unicode scalars; nil where it is about the whole line.
            public let column: Int?
            /// What was expected and found.
            public let reason: String

            /// A refusal of its parts.
            public init(line: Int, column: Int?, reason: String) {
                self.line = line
                self.column = column
                self.reason = reason
            }
        }

        /// So many refusals are told one by one; the others are only counted.
        public static let mostRefusals = 100

        /// Lines that were looked at, blank ones included; 1 for an action.
        public var lines = 0
        /// Actions that were processed.
        public var accepted = 0
        /// Actions that the journal knows already by their `meta.id`, and that were left out.
        public var duplicates = 0
        /// Lines that were not taken.
        public var refused = 0
        /// The first of them, in order.
        public var refusals: [Refusal] = []
        /// Whether the host has ended before the last lines were looked at.
        public var isCut = false

        /// Nothing that was looked at.
        public init() {}
    }

    /// Takes what is brought, and comes back when it is processed.
    private let take: @Sendable (Delivery) async throws(Failure) -> Receipt

    /// An input around a closure, which must be callable from any task.
    public init(_ take: @escaping @Sendable (Delivery) async throws(Failure) -> Receipt) {
        self.take = take
    }

    /// Waits until an action, under its global type, is processed with everything that it leads to synchronously.
    ///
    /// What one task hands over one after the other is processed in that order. Many tasks may wait at the same time.
    @discardableResult
    public func dispatch(_ action: AnyAction) async throws(Failure) -> Receipt {
        try await take(.action(action))
    }

    /// Waits until all lines are looked at, and those that are actions processed like the lines of an input.
    ///
    /// For many actions at once: nothing is decoded on the way, and one call costs the same as for a single action. What
    /// `ingress` of the configuration keeps out is refused here too; actions of the host come in where the `allow` of the
    /// instance's entry lists them. Other inputs have their turns in between. While very many effects are finishing, which also
    /// holds other inputs back, it waits.
    ///
    /// - Parameters:
    ///   - lines: JSON texts with line feeds between them, as an input has them.
    ///   - objection: refuses actions that the configuration would let in; called for each, on the thread that reads for all inputs.
    public func dispatch(lines: [UInt8], objection: Objection? = nil) async throws(Failure) -> Receipt {
        try await take(.lines(lines, objection: objection))
    }
}
