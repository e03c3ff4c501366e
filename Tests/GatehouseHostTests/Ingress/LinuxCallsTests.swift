// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

/// The Linux calls behind the C target, each against the running kernel.
@Suite struct LinuxCallsTests {
    @Test func `a sealed file cannot be written, grown, shrunk or sealed again`() throws {
        let file = unsafe gatehouse_memfd_create("sealed")
        try #require(file >= 0)
        defer { close(file) }
        var byte: UInt8 = 1
        try #require(unsafe write(file, &byte, 1) == 1)
        #expect(gatehouse_memfd_seal(file) == 0)
        #expect(unsafe write(file, &byte, 1) == -1)
        #expect(errno == EPERM)
        #expect(ftruncate(file, 0) == -1)
        #expect(ftruncate(file, 4096) == -1)
        #expect(gatehouse_memfd_seal(file) == -EPERM)
        #expect(unsafe pread(file, &byte, 1, 0) == 1)
    }

    @Test func `the file is not inherited by programs that are started`() throws {
        let file = unsafe gatehouse_memfd_create("private")
        try #require(file >= 0)
        defer { close(file) }
        #expect(fcntl(file, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
    }

    @Test func `refusals come back as negative error numbers`() {
        let name = String(repeating: "n", count: 250)
        #expect(unsafe gatehouse_memfd_create(name) == -EINVAL)
        #expect(gatehouse_memfd_seal(-1) == -EBADF)
        #expect(gatehouse_signals_next(-1) == -EBADF)
    }

    @Test(arguments: [(true, SIGHUP), (true, SIGINT), (false, SIGINT), (false, SIGTERM)])
    func `a signal ends up in the descriptor instead of ending the process`(hangUp: Bool, signal: Int32)
        throws
    {
        // A thread of its own, since the signal mask is the thread's and must not leak into other tests.
        let thread = try TestThread {
            let descriptor = gatehouse_signals_open(hangUp)
            defer { close(descriptor) }
            var seen = [gatehouse_signals_next(descriptor)]
            pthread_kill(pthread_self(), signal)
            seen.append(gatehouse_signals_next(descriptor))
            seen.append(gatehouse_signals_next(descriptor))
            return seen
        }
        #expect(try thread.join() == [0, signal, 0])
    }

    @Test func `writing to a closed pipe fails instead of ending the process`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            var ends: [Int32] = [-1, -1]
            guard gatehouse_ignore_broken_pipe() == 0, unsafe pipe(&ends) == 0 else { exit(1) }
            close(ends[0])
            let count = unsafe write(ends[1], ends, 4)
            exit(count == -1 && errno == EPIPE ? 7 : 2)
        }
    }
}
