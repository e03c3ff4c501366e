// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Tells that something has changed in the hashes of a Redis, so that who waits for a condition looks at it when there is a reason.
///
/// Not thread-safe. What nobody takes for long is dropped by the server with the connection, so it is made for one wait.
public final class RedisChanges {
    /// Where they are told.
    private let connection: LocalConnection

    /// The server does not tell anything any more.
    public struct Ended: Error {}

    /// Begins to listen.
    public init(_ server: RedisServer) throws {
        connection = try LocalConnection(server.socket)
        guard
            connection.write("CONFIG SET notify-keyspace-events Kh\r\nPSUBSCRIBE __keyspace@0__:*\r\n")
        else { throw Ended() }
        // The answer to the second command ends with the number of subscriptions.
        while let line = connection.readLine() {
            if line.hasPrefix(":1") { return }
        }
        throw Ended()
    }

    /// Waits until something has changed since this was made, or since the last wait; not longer than a time.
    public func wait(atMost limit: Duration) throws {
        var watched = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&watched, 1, Int32(limit / .milliseconds(1))) > 0 else { return }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var count: Int
        repeat {
            count = unsafe recv(connection.descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        } while count == chunk.count
        if count == 0 { throw Ended() }
    }
}
