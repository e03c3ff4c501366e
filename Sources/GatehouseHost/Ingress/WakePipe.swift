// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Wakes a thread that waits in `poll`, from any other thread.
final class WakePipe: Sendable {
    /// Readable once `wake` was called; -1 when there was no descriptor left.
    private let readEnd: Int32
    /// Written by `wake`; -1 when there was no descriptor left.
    private let writeEnd: Int32

    /// A pipe with nothing in it; when the system has no descriptors left, waiting looks again every 10 ms.
    init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the wait that is under way, or the next one. A full pipe wakes already.
    func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Waits for `wake`, or until another descriptor is readable, or for so many milliseconds; -1 for any number.
    func wait(or other: Int32?, milliseconds: Int32 = -1) {
        var watched = [
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&watched, 2, readEnd < 0 ? 10 : milliseconds)
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(readEnd, &bytes, bytes.count) > 0 {}
    }
}
