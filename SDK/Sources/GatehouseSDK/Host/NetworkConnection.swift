// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Synchronization

/// A connection to another service, or of a client, over TCP or a local socket; callable from any thread.
///
/// Its descriptor is closed with the last reference to it, unless somebody takes it.
public final class NetworkConnection: Sendable {
    /// The connected socket, which does not block and is closed on `exec`.
    public let descriptor: Int32
    /// Whether somebody else closes it.
    private let isTaken = Atomic(false)

    /// Wraps a connected socket, which it closes at its end.
    public init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { if !isTaken.load(ordering: .acquiring) { Glibc.close(descriptor) } }

    /// Returns the descriptor, which is the caller's to close from now on; -1 when somebody else has taken it.
    public func take() -> Int32 {
        isTaken.exchange(true, ordering: .acquiringAndReleasing) ? -1 : descriptor
    }
}

/// Why there is no connection.
public struct ConnectionFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of reasons, for programs.
    public enum Reason: UInt8, Sendable {
        /// The instance runs in a worker, and its entry does not grant the connection.
        case notGranted = 1
        /// The name of the host cannot be looked up.
        case unknownHost
        /// No address of the host takes a connection, or the system refuses one, that of a client included.
        case unreachable
        /// It took too long.
        case timeout
        /// The task that wanted it was cancelled, or the listening socket was given back.
        case cancelled
    }

    /// The kind of the reason.
    public let reason: Reason
    /// One sentence for the operator.
    public let sentence: String

    /// Creates a failure with its sentence.
    public init(_ reason: Reason, _ sentence: String) {
        self.reason = reason
        self.sentence = sentence
    }

    /// The sentence.
    public var description: String { sentence }

    /// No address of a host takes a connection; `words` is the system's reason.
    static func unreachable(_ host: String, _ port: UInt16, _ words: String) -> ConnectionFailure {
        ConnectionFailure(
            .unreachable, "\(ListeningAddress.port(host: host, port)) cannot be reached: \(words)")
    }

    /// Nobody wants the connection any more.
    static func cancelled(_ host: String, _ port: UInt16) -> ConnectionFailure {
        ConnectionFailure(
            .cancelled, "the connection to \(ListeningAddress.port(host: host, port)) was given up")
    }
}
