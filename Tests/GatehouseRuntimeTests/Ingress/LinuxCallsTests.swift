// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

/// The Linux calls behind the C target, each against the running kernel.
@Suite(.timeLimit(.minutes(10))) struct LinuxCallsTests {
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
        #expect(gatehouse_lock_share(-1, 0) == -EBADF)
        #expect(gatehouse_lock_alone(-1, 0) == -EBADF)
        #expect(gatehouse_signals_next(-1) == -EBADF)
    }

    @Test func `signals come out of the descriptor in order, and children have their defaults back`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let descriptor = gatehouse_signals_open()
            guard descriptor >= 0 else { exit(1) }
            for number in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
                kill(getpid(), number)
                guard gatehouse_signals_next(descriptor) == number else { exit(2) }
            }
            // The shell would go on if it had inherited a handler, a blocked or an ignored signal.
            var child: pid_t = 0
            let words = ["sh", "-c", "kill -TERM $$; exit 3"]
            var vector = unsafe words.map { unsafe strdup($0) } + [nil]
            guard unsafe posix_spawn(&child, "/bin/sh", nil, nil, &vector, environ) == 0 else { exit(4) }
            var status: Int32 = 0
            _ = unsafe waitpid(child, &status, 0)
            exit(status & 0x7F == SIGTERM ? 7 : 5)
        }
    }

    @Test func `a signal that whoever started the program ignores stays ignored`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGHUP, SIG_IGN)
            let descriptor = gatehouse_signals_open()
            kill(getpid(), SIGHUP)
            kill(getpid(), SIGTERM)
            exit(gatehouse_signals_next(descriptor) == SIGTERM ? 7 : 2)
        }
    }

    @Test func `writing to a closed pipe or beyond the size limit fails instead of ending the process`() async
    {
        await #expect(processExitsWith: .exitCode(7)) {
            var ends: [Int32] = [-1, -1]
            guard gatehouse_outlive(SIGPIPE) == 0, gatehouse_outlive(SIGXFSZ) == 0, unsafe pipe(&ends) == 0
            else { exit(1) }
            close(ends[0])
            guard unsafe write(ends[1], ends, 4) == -1, errno == EPIPE else { exit(2) }
            var limit = rlimit(rlim_cur: 8, rlim_max: 8)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let file = unsafe gatehouse_memfd_create("full")
            let bytes = [UInt8](repeating: 1, count: 8)
            guard unsafe write(file, bytes, 8) == 8 else { exit(3) }
            exit(unsafe write(file, bytes, 8) == -1 && errno == EFBIG ? 7 : 4)
        }
    }

    @Test func `what waits is written by a crash, and the crash goes on`() async {
        let result = await #expect(
            processExitsWith: .signal(SIGABRT), observing: [\.standardOutputContent]
        ) {
            gatehouse_output_open(STDOUT_FILENO)
            gatehouse_tell_crashes()
            let line = Array("whole line\n".utf8)
            guard unsafe gatehouse_output_append(line, line.count) else { exit(1) }
            abort()
        }
        #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } == "whole line\n")
    }

    @Test func `output that nobody takes is given up in time`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { exit(1) }
            let page = [UInt8](repeating: 65, count: 4096)
            var filled = 0
            while unsafe gatehouse_write_within(ends[1], page, page.count, 0) == page.count { filled += 1 }
            gatehouse_output_open(ends[1])
            guard filled > 0, unsafe gatehouse_output_append(page, page.count) else { exit(2) }
            guard !gatehouse_output_rescue(10) else { exit(3) }
            var all = [UInt8](repeating: 0, count: filled * page.count)
            guard unsafe read(ends[0], &all, all.count) > 0 else { exit(4) }
            exit(gatehouse_output_rescue(10) ? 7 : 5)
        }
    }
}
