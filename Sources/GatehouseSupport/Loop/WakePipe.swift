// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc
private import Synchronization

/// Wakes a thread that waits in `poll`, from any other thread.
///
/// The pipe is opened at the first wait: of thousands of hosts in a process only one ever waits.
package final class WakePipe: Sendable {
    /// The state that the lock guards.
    private struct State {
        /// The read and write ends; nil before they are needed, -1 when there was no descriptor left.
        var ends: (read: Int32, write: Int32)?
        /// Whether `wake` was called since the last wait; if so, the pipe has one byte, otherwise none.
        var isCalled = false
    }

    /// The pipe, and whether it wakes.
    private let state = Mutex(State())

    /// Creates a pipe without a pending call.
    package init() {}

    deinit {
        state.withLock { state in
            guard let ends = state.ends else { return }
            close(ends.read)
            close(ends.write)
        }
    }

    /// Readable after `wake` was called; -1 when there was no descriptor left.
    package var descriptor: Int32 {
        state.withLock { state in
            if let ends = state.ends { return ends.read }
            var ends: [Int32] = [-1, -1]
            _ = unsafe pipe(&ends)
            for end in ends where end != -1 {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                gatehouse_own(end)
            }
            state.ends = (ends[0], ends[1])
            if state.isCalled { Self.write(to: ends[1]) }
            return ends[0]
        }
    }

    /// Writes the byte that wakes; ends the process if other code has closed the pipe, because nothing could wake it.
    private static func write(to end: Int32) {
        var byte: UInt8 = 1
        guard end != -1, unsafe Glibc.write(end, &byte, 1) < 0, errno == EBADF else { return }
        gatehouse_end_without_descriptors()
    }

    /// Ends the current wait, or the next one.
    package func wake() {
        state.withLock { state in
            guard !state.isCalled else { return }
            state.isCalled = true
            if let ends = state.ends { Self.write(to: ends.write) }
        }
    }

    /// Does something, and ends the current wait, or the next one, when it is done: whoever was woken finds it.
    package func wake(after body: () -> Void) {
        body()
        wake()
    }

    /// Waits for `wake`, or until another descriptor is readable or the time is over; several calls of `wake` may count as one. When the
    /// system has no descriptors left, it checks every 10 ms.
    ///
    /// - Parameter limit: in milliseconds; nil for no limit.
    package func wait(or other: Int32? = nil, atMost limit: Int32? = nil) {
        let descriptor = descriptor
        var watched = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&watched, 2, descriptor < 0 ? 10 : limit ?? -1)
        clear()
    }

    /// Forgets the calls of `wake` so far.
    package func clear() {
        state.withLock { state in
            guard state.isCalled else { return }
            state.isCalled = false
            var byte: UInt8 = 0
            if let ends = state.ends { _ = unsafe read(ends.read, &byte, 1) }
        }
    }
}
