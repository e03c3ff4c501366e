// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Wakes one thread from any other.
final class Alarm: Sendable {
    /// Where the thread waits, and what wakes it.
    private let ends: (wait: Int32, ring: Int32)

    /// Nobody has rung; without free descriptors nobody ever will.
    init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        self.ends = (ends[0], ends[1])
    }

    deinit {
        close(ends.wait)
        close(ends.ring)
    }

    /// Readable once somebody has rung.
    var descriptor: Int32 { ends.wait }

    /// Wakes the thread, now or when it waits next.
    func ring() {
        var byte: UInt8 = 1
        _ = unsafe write(ends.ring, &byte, 1)
    }

    /// Sleeps until somebody rings; several rings may count as one. False when nobody ever will.
    func wait() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        while true {
            let count = unsafe read(ends.wait, &bytes, bytes.count)
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}
