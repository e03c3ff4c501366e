// SPDX-License-Identifier: Apache-2.0

/// The commands that a Redis is given by anybody, in their order, from the moment on at which this is made. Not thread-safe.
public final class RedisMonitor {
    /// Where they are told.
    private let connection: LocalConnection

    /// What was waited for did not come.
    public struct Ended: Error {}

    /// Begins to listen.
    public init(_ server: RedisServer) throws {
        connection = try LocalConnection(server.socket)
        guard connection.write("MONITOR\r\n"), connection.readLine()?.hasPrefix("+OK") == true else {
            throw Ended()
        }
    }

    /// Waits for the next command; also one within a script. Its words are in quotation marks, with a space between them.
    public func next() throws -> String {
        guard var line = connection.readLine() else { throw Ended() }
        if line.hasSuffix("\r") { line.removeLast() }
        return line
    }

    /// Waits for a command.
    public func wait(for isIt: (String) -> Bool) throws {
        while try !isIt(next()) {}
    }
}
