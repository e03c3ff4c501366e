// SPDX-License-Identifier: Apache-2.0

/// The commands that a Redis receives from all clients, in order, from the creation of this object on. Not thread-safe.
public final class RedisMonitor {
    /// The connection that receives them.
    private let connection: LocalConnection

    /// The expected command did not come.
    public struct Ended: Error {}

    /// Starts listening.
    public init(_ server: RedisServer) throws {
        connection = try LocalConnection(server.socket)
        guard connection.write("MONITOR\r\n"), connection.readLine()?.hasPrefix("+OK") == true else {
            throw Ended()
        }
    }

    /// Waits for the next command, including those within a script. Its words are in quotation marks, separated by spaces.
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
