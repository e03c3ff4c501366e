// SPDX-License-Identifier: Apache-2.0

/// Hands actions to the host like one of its inputs, and reports when they are processed.
///
/// For plugins that are themselves an input, such as a server, and answer their clients after processing. An instance needs
/// none of it to emit actions otherwise.
///
/// When a call returns, the host has kept its promise: a strict journal has committed the delivery before it was dispatched,
/// and everything that it leads to synchronously is processed.
public struct HostIngress: Sendable {
    /// Why nothing of a delivery was processed.
    public enum Failure: Error, Equatable, Sendable {
        /// The host does not take it, for this reason.
        case refused(String)
        /// The host is shutting down and accepts nothing more.
        case ended
    }

    /// Returns why an action of a type must not enter this way, as a sentence; nil if it may.
    public typealias Objection = @Sendable (ActionType) -> String?

    /// The content of one call.
    public enum Delivery: Sendable {
        /// An action under its global type.
        case action(AnyAction)
        /// Lines of JSON, each an action in wire form under its global type, and an objection by type.
        case lines([UInt8], objection: Objection?)
    }

    /// The outcome of a delivery.
    public struct Receipt: Equatable, Sendable {
        /// A line that was not accepted.
        public struct Refusal: Equatable, Sendable {
            /// The line, from 1.
            public let line: Int
            /// The place in the line, from 1, in Unicode scalars; nil where the refusal is about the whole line.
            public let column: Int?
            /// What was expected and found.
            public let reason: String

            /// Creates a refusal from its parts.
            public init(line: Int, column: Int?, reason: String) {
                self.line = line
                self.column = column
                self.reason = reason
            }
        }

        /// The most refusals listed one by one; further ones are only counted.
        public static let mostRefusals = 100

        /// The number of lines read, blank ones included; 1 for an action.
        public var lines = 0
        /// The number of actions processed.
        public var accepted = 0
        /// The number of actions left out because the journal already has their `meta.id`.
        public var duplicates = 0
        /// The number of lines not accepted.
        public var refused = 0
        /// The first refusals, in order.
        public var refusals: [Refusal] = []
        /// Whether the host shut down before reading the last lines.
        public var isCut = false

        /// Creates a receipt for nothing.
        public init() {}
    }

    /// Takes a delivery, and returns when it is processed.
    private let take: @Sendable (Delivery) async throws(Failure) -> Receipt

    /// Creates an input from a closure, which must be callable from any task.
    public init(_ take: @escaping @Sendable (Delivery) async throws(Failure) -> Receipt) {
        self.take = take
    }

    /// Waits until an action, under its global type, is processed with everything that it leads to synchronously.
    ///
    /// Successive actions of one task are processed in that order. Many tasks may wait at the same time.
    @discardableResult
    public func dispatch(_ action: AnyAction) async throws(Failure) -> Receipt {
        try await take(.action(action))
    }

    /// Waits until all lines are read, and their actions processed like the lines of an input.
    ///
    /// For many actions at once: nothing is decoded on the way, and one call costs the same as for a single action. The
    /// configuration's `ingress` also applies here; actions of the host need the `allow` of the instance's entry. Other inputs
    /// take their turns in between. A call waits while very many effects are finishing, which holds back other inputs too.
    ///
    /// - Parameters:
    ///   - lines: JSON texts with line feeds between them, as an input has them.
    ///   - objection: refuses actions that the configuration would let in; called for each, on the thread that reads for all
    ///     inputs.
    public func dispatch(lines: [UInt8], objection: Objection? = nil) async throws(Failure) -> Receipt {
        try await take(.lines(lines, objection: objection))
    }
}
