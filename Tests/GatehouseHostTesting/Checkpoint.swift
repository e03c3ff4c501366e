// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A place where a plugin waits until the test lets it continue; the fixture `MigrantTwo` can stop at it.
///
/// Not thread-safe.
public final class Checkpoint {
    /// What the host needs in its environment: a confined child could not say that it has come.
    public static let environment = ["GATEHOUSE_CONFINEMENT": "off"]

    /// The path to pass to the plugin.
    public let path: String
    /// Both ends of the pipe in which an arriving process writes its id.
    private let arrivals: Int32
    /// Both ends of the pipe from which it takes a byte to continue.
    private let departures: Int32

    /// Creates a place that no process has reached.
    public init(in folder: TemporaryFolder) throws {
        path = folder("checkpoint")
        arrivals = try Self.makePipe(path + ".arrivals")
        departures = try Self.makePipe(path + ".departures")
    }

    deinit {
        close(arrivals)
        close(departures)
    }

    /// Waits until a process has arrived; returns its id.
    public func waitForArrival() throws -> Int32 {
        var watched = pollfd(fd: arrivals, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&watched, 1, 300_000) == 1 else { throw SystemFailure("nobody came to \(path)") }
        var process: Int32 = 0
        guard unsafe read(arrivals, &process, 4) == 4 else { throw SystemFailure("read \(path)") }
        return process
    }

    /// Lets the given number of processes continue, including those that arrive later.
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
