// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// A network between programs and a server at a Unix socket, as unreliable as a test wants it.
///
/// Its own thread moves the bytes. All functions may be called from any thread, and apply to bytes moved afterwards. Ends with this
/// object, and all connections with it.
public final class ConnectionProxy: Sendable {
    /// The faults of the network; guarded by the lock.
    struct Terms {
        var server: String
        var stalls = false
        var freezes = false
        var thaws = false
        var parting: [[UInt8]] = []
        var refuses = false
        var delay = Duration.zero
        var drip: Duration?
        var rewriting: (@Sendable ([UInt8]) -> [UInt8])?
        var cuts = false
        var repliesLeft: Int?
        var losingReplyTo: [UInt8]?
        var isEnded = false
    }

    /// The state that the thread shares with the functions.
    final class Shared: Sendable {
        /// The faults of the network.
        let terms: Mutex<Terms>
        /// Signalled for each connection that ended because of ``ConnectionProxy/cut(afterReplies:)`` or
        /// ``ConnectionProxy/loseReply(to:)``.
        let struck = DispatchSemaphore(value: 0)

        /// The state of a perfect network to a server.
        init(to server: String) { terms = Mutex(Terms(server: server)) }
    }

    private let shared: Shared
    /// The end of a pipe that wakes the thread.
    private let waking: Int32
    private let thread: TestWriter

    /// The address for programs, as a configuration names it.
    public let url: String
    /// The port where it listens; nil for one with a path.
    public let port: Int?

    /// Creates a network in front of a Redis.
    ///
    /// - Parameters:
    ///   - path: where it listens; nil for a free port of this machine.
    ///   - server: the socket of the server.
    public init(at path: String?, to server: String) throws {
        let listener: Int32
        if let path {
            FileSystem.remove(path)
            listener = try LocalConnection.listen(at: path)
            url = "redis+unix:" + path
            port = nil
        } else {
            let made = try LocalPort.listen()
            listener = made.socket
            url = "redis://127.0.0.1:\(made.port)"
            port = made.port
        }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        for end in ends + [listener] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        waking = ends[1]
        shared = Shared(to: server)
        let (shared, waiting) = (shared, ends[0])
        thread = try TestWriter {
            var wire = ProxiedWire(listener: listener, waking: waiting, shared)
            wire.run()
        }
    }

    deinit {
        change { $0.isEnded = true }
        thread.join()
        close(waking)
    }

    /// Changes the terms, and wakes the thread.
    private func change(_ body: (inout Terms) -> Void) {
        shared.terms.withLock { body(&$0) }
        var byte: UInt8 = 0
        _ = unsafe write(waking, &byte, 1)
    }

    /// Leads new connections to another server, by its socket, and ends the present ones: the address that a provider moves.
    public func lead(to server: String) {
        change {
            $0.server = server
            $0.cuts = true
        }
    }

    /// Ends all connections.
    public func cut() { change { $0.cuts = true } }

    /// Ends each new connection immediately, or accepts them again.
    public func refuse(_ refuses: Bool) { change { $0.refuses = refuses } }

    /// Stops moving bytes, like a network that swallows them; when it resumes, everything sent meanwhile arrives.
    public func stall(_ stalls: Bool) { change { $0.stalls = stalls } }

    /// Stops moving bytes over the present connections; new ones work normally.
    public func freeze() { change { $0.freezes = true } }

    /// Delivers, late, everything sent over frozen connections, even those that the program has closed since.
    public func thaw() { change { $0.thaws = true } }

    /// Stops moving bytes over connections that have sent one of the texts near their beginning, or will; an empty list moves all again.
    ///
    /// So a server can be cut off from some of those who use it, and not from the others.
    public func part(from texts: [String]) { change { $0.parting = texts.map { Array($0.utf8) } } }

    /// Delays everything by the given time.
    public func delay(by delay: Duration) { change { $0.delay = delay } }

    /// Delivers answers byte by byte, with the given time between two; nil to deliver them as they come.
    public func drip(every interval: Duration?) { change { $0.drip = interval } }

    /// Replaces the server's answers, piece by piece as they come; nil to keep them.
    public func rewrite(_ body: (@Sendable ([UInt8]) -> [UInt8])?) { change { $0.rewriting = body } }

    /// Ends the connection that delivers the last of the given number of further bytes of answers.
    public func cut(afterReplies count: Int) { change { $0.repliesLeft = count } }

    /// Ends the next connection that sends a text, once the server has answered, and withholds the answer.
    public func loseReply(to text: String) { change { $0.losingReplyTo = Array(text.utf8) } }

    /// Whether a connection has ended because of ``cut(afterReplies:)`` or ``loseReply(to:)``; true once for each.
    public func hasStruck() -> Bool { shared.struck.wait(timeout: .now()) == .success }

    /// Waits until a connection has ended because of ``cut(afterReplies:)`` or ``loseReply(to:)``; false if none does within four
    /// minutes.
    public func waitUntilStruck() -> Bool { shared.struck.wait(timeout: .now() + 240) == .success }
}
