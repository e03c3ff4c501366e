// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A place in a plugin at which it waits until the test lets it go on; the fixture `MigrantTwo` knows how to get there.
///
/// Not thread-safe.
public final class Checkpoint {
    /// What the plugin is told.
    public let path: String
    /// Both ends of the pipe in which whoever arrives says which process it is.
    private let arrivals: Int32
    /// Both ends of the pipe from which it takes a byte to go on.
    private let departures: Int32

    /// A place that nobody has come to.
    public init(in folder: TemporaryFolder) throws {
        path = folder("checkpoint")
        arrivals = try Self.makePipe(path + ".arrivals")
        departures = try Self.makePipe(path + ".departures")
    }

    deinit {
        close(arrivals)
        close(departures)
    }

    /// Waits until somebody has arrived; gives the number of its process.
    public func waitForArrival() throws -> Int32 {
        var watched = pollfd(fd: arrivals, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&watched, 1, 300_000) == 1 else { throw SystemFailure("nobody came to \(path)") }
        var process: Int32 = 0
        guard unsafe read(arrivals, &process, 4) == 4 else { throw SystemFailure("read \(path)") }
        return process
    }

    /// Lets so many go on, those that are still to come too.
    public func release(_ count: Int = 1) {
        _ = unsafe write(departures, [UInt8](repeating: 0, count: count), count)
    }

    private static func makePipe(_ path: String) throws -> Int32 {
        try FileSystem.makePipe(path)
        // Open for both, so that no end waits for another one.
        let pipe = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard pipe >= 0 else { throw SystemFailure("open \(path)") }
        return pipe
    }
}
