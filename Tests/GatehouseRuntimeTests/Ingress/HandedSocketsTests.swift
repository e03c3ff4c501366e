// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseRuntime

/// What is taken of the descriptors that a process finds when it starts.
@Suite(.timeLimit(.minutes(10))) struct HandedSocketsTests {
    /// Fills the first descriptors after the standard ones with listening sockets that programs would inherit.
    private static func fill(_ descriptors: ClosedRange<Int32>) throws {
        for descriptor in descriptors {
            let opened = try ListeningAddress.port(host: "127.0.0.1", 0).open()
            // The system may have chosen one of those to be filled.
            let socket = fcntl(opened, F_DUPFD, descriptors.upperBound + 1)
            close(opened)
            guard socket >= 0, dup2(socket, descriptor) == descriptor else { exit(2) }
        }
    }

    @Test
    func `as many sockets are taken as were handed over, and the descriptor after them is left as it is`()
        async
    {
        await #expect(processExitsWith: .exitCode(7)) {
            var taken: [String] = []
            // A thread of the testing library may have had one of these descriptors, and close it a moment later.
            for _ in 0..<10 where taken != ["3 orders", "4 systemd"] {
                try Self.fill(3...5)
                for (name, value) in [
                    ("LISTEN_PID", "\(getpid())"), ("LISTEN_FDS", "2"), ("LISTEN_FDNAMES", "orders"),
                ] { _ = unsafe setenv(name, value, 1) }
                taken = HandedSockets.take().descriptors.map { "\($0.descriptor) \($0.name)" }
            }
            guard taken == ["3 orders", "4 systemd"] else { exit(3) }
            // Programs that plugins start get none of those that were taken.
            guard (3...5).map({ fcntl($0, F_GETFD) }) == [FD_CLOEXEC, FD_CLOEXEC, 0] else { exit(4) }
            exit(7)
        }
    }
}
