// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Lets one thread wait for a client, or for somebody who ends that.
final class AcceptWait: Sendable {
    /// A pair of sockets, the first of which becomes readable with the end of the wait; -1 where the system has no more descriptors.
    private let (reading, writing): (Int32, Int32)

    /// A wait that has not ended.
    init() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        _ = unsafe socketpair(AF_UNIX, kind, 0, &ends)
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        if reading >= 0 { Glibc.close(reading) }
        if writing >= 0 { Glibc.close(writing) }
    }

    /// Whether it can be ended.
    var isUsable: Bool { reading >= 0 }

    /// Ends it, also before anybody waits.
    func end() {
        var byte: UInt8 = 0
        _ = unsafe write(writing, &byte, 1)
    }

    /// Waits until a descriptor has something to read; returns false when the wait was ended before.
    func untilReadable(_ descriptor: Int32) -> Bool {
        var watched = [
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&watched, 2, -1) < 0, errno == EINTR {}
        return watched[0].revents == 0
    }

    /// Waits until somebody ends it.
    func untilEnd() {
        guard isUsable else { return }
        var watched = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&watched, 1, -1) < 0, errno == EINTR {}
    }
}
