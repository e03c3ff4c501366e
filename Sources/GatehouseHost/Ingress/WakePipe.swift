// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Wakes a thread that waits in `poll`, from any other thread.
public final class WakePipe: Sendable {
    /// Readable once `wake` was called; -1 when there was no descriptor left.
    public let descriptor: Int32
    /// Written by `wake`; -1 when there was no descriptor left.
    private let writeEnd: Int32

    /// A pipe with nothing in it; when the system has no descriptors left, waiting looks again every 10 ms.
    public init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        descriptor = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    /// Ends the wait that is under way, or the next one. A full pipe wakes already.
    public func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Waits for `wake`, or until another descriptor is readable or the time is over; several calls of `wake` may count as one.
    ///
    /// - Parameter limit: in milliseconds; nil for as long as it takes.
    public func wait(or other: Int32? = nil, atMost limit: Int32? = nil) {
        var watched = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&watched, 2, descriptor < 0 ? 10 : limit ?? -1)
        clear()
    }

    /// Forgets the calls of `wake` so far.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
