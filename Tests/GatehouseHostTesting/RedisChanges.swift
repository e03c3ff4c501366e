// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reports changes in the hashes of a Redis, so that a test that waits for a condition checks it only when there is a reason.
///
/// Not thread-safe. The server drops the connection if its messages are not read for long, so create one for each wait.
public final class RedisChanges {
    /// The connection that receives them.
    private let connection: LocalConnection

    /// The server has stopped reporting.
    public struct Ended: Error {}

    /// Starts listening.
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

    /// Waits until something has changed since the creation, or since the last wait; at most the given time.
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
