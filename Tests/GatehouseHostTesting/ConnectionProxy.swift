// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// A network between programs and a server at a Unix socket, as bad as a test wants it.
///
/// One thread of its own moves the bytes; all functions may be called from any thread, and hold for what is moved afterwards. Ends
/// with this object, all connections with it.
public final class ConnectionProxy: Sendable {
    /// How bad it is; guarded by the lock.
    struct Terms {
        var stalls = false
        var freezes = false
        var thaws = false
        var refuses = false
        var delay = Duration.zero
        var drip: Duration?
        var rewriting: (@Sendable ([UInt8]) -> [UInt8])?
        var cuts = false
        var repliesLeft: Int?
        var losingReplyTo: [UInt8]?
        var isEnded = false
    }

    /// What the thread shares with the functions.
    final class Shared: Sendable {
        /// How bad it is.
        let terms = Mutex(Terms())
        /// Signalled for each connection that ended because ``ConnectionProxy/cut(afterReplies:)`` or
        /// ``ConnectionProxy/loseReply(to:)`` wanted it.
        let struck = DispatchSemaphore(value: 0)
    }

    private let shared = Shared()
    /// The end of a pipe that wakes the thread.
    private let waking: Int32
    private let thread: TestWriter

    /// Where programs connect, as a configuration names it.
    public let url: String

    /// Stands in front of a Redis.
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
        } else {
            let port: Int
            (listener, port) = try LocalPort.listen()
            url = "redis://127.0.0.1:\(port)"
        }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        for end in ends + [listener] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        waking = ends[1]
        let (shared, waiting) = (shared, ends[0])
        thread = try TestWriter {
            var wire = ProxiedWire(listener: listener, waking: waiting, server: server, shared)
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

    /// Ends all connections.
    public func cut() { change { $0.cuts = true } }

    /// Ends each new connection at once, or lets them in again.
    public func refuse(_ refuses: Bool) { change { $0.refuses = refuses } }

    /// Moves nothing any more, as a network that swallows what it is given; when it goes on, what was sent meanwhile arrives.
    public func stall(_ stalls: Bool) { change { $0.stalls = stalls } }

    /// Moves nothing any more over the connections that there are at this moment; new ones are as good as ever.
    public func freeze() { change { $0.freezes = true } }

    /// Lets what was sent over frozen connections arrive, late as it is, even those that the program has closed since.
    public func thaw() { change { $0.thaws = true } }

    /// Lets everything arrive so much later.
    public func delay(by delay: Duration) { change { $0.delay = delay } }

    /// Lets answers arrive byte by byte, so much time between two; nil for as they come.
    public func drip(every interval: Duration?) { change { $0.drip = interval } }

    /// Lets other answers arrive than those that the server has given, piece by piece as they come; nil for those.
    public func rewrite(_ body: (@Sendable ([UInt8]) -> [UInt8])?) { change { $0.rewriting = body } }

    /// Ends the connection over which the last of so many further bytes of answers has gone.
    public func cut(afterReplies count: Int) { change { $0.repliesLeft = count } }

    /// Ends the connection over which a text is sent next, once the server has answered, and keeps the answer back.
    public func loseReply(to text: String) { change { $0.losingReplyTo = Array(text.utf8) } }

    /// Whether a connection has ended as ``cut(afterReplies:)`` or ``loseReply(to:)`` wanted it; true once for each.
    public func hasStruck() -> Bool { shared.struck.wait(timeout: .now()) == .success }

    /// Waits until a connection has ended as ``cut(afterReplies:)`` or ``loseReply(to:)`` wanted it; false when that has not happened
    /// within four minutes.
    public func waitUntilStruck() -> Bool { shared.struck.wait(timeout: .now() + 240) == .success }
}
