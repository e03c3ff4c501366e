// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Synchronization
import Testing

@testable import GatehouseSupport

/// What a service manager hears, and what is said when it cannot be told.
@Suite(.timeLimit(.minutes(10))) struct NotifySocketTests {
    /// The sentences that a socket reports.
    private final class Reports: Sendable {
        let sentences = Mutex<[String]>([])

        var all: [String] { sentences.withLock { $0 } }
    }

    /// A manager's socket at a file, closed at the end.
    private final class Manager {
        let folder: TemporaryFolder
        let descriptor: Int32

        init() throws {
            folder = try TemporaryFolder()
            descriptor = LocalAddress.makeSocket(SOCK_DGRAM)
            try #require(descriptor >= 0)
            try #require(try #require(LocalAddress(path)).bind(descriptor))
        }

        deinit { close(descriptor) }

        var path: String { folder.path + "/notify" }

        /// The datagram that has come; nil for none.
        var message: String? {
            var bytes = [UInt8](repeating: 0, count: 1_000)
            let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    /// The socket that variables name.
    private func open(_ variables: [String: String], _ reports: Reports = Reports()) -> NotifySocket? {
        NotifySocket(environment: { variables[$0] }, process: 41) { sentence in
            reports.sentences.withLock { $0.append(sentence) }
        }
    }

    @Test func `messages arrive in one datagram, and then nothing is reported`() throws {
        let manager = try Manager()
        let reports = Reports()
        let socket = try #require(open(["NOTIFY_SOCKET": manager.path], reports))
        socket.tell(.ready, .status("2 plugins\u{1B}\n"))
        #expect(manager.message == "READY=1\nSTATUS=2 plugins\\u{1B}\\n")
        socket.tell(.later)
        #expect(manager.message == "EXTEND_TIMEOUT_USEC=30000000")
        socket.follow(7, flightRecorder: -1)
        #expect(manager.message == "MAINPID=7")
        #expect(manager.message == nil)
        #expect(reports.all == [])
    }

    @Test func `a reload is told with the machine's own clock, which the manager compares`() throws {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let before = time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
        let lines = NotifySocket.Message.reloading.line.split(separator: "\n")
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let after = time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
        try #require(lines.count == 2)
        #expect(lines[0] == "RELOADING=1")
        #expect(lines[1].hasPrefix("MONOTONIC_USEC="))
        let told = try #require(Int(lines[1].drop { !$0.isNumber }))
        #expect((before...after).contains(told))
    }

    @Test func `the end is told once, however many tell it`() throws {
        let manager = try Manager()
        let socket = try #require(open(["NOTIFY_SOCKET": manager.path]))
        socket.tell(.stopping)
        socket.tell(.stopping)
        socket.tell(.stopping, .later)
        #expect(manager.message == "STOPPING=1")
        #expect(manager.message == "STOPPING=1\nEXTEND_TIMEOUT_USEC=30000000")
        #expect(manager.message == nil)
    }

    @Test func `a manager that cannot be told is reported once`() throws {
        let reports = Reports()
        let socket = try #require(open(["NOTIFY_SOCKET": "/nowhere/\u{1B}"], reports))
        socket.tell(.ready)
        socket.tell(.later)
        #expect(
            reports.all == [
                #"the service manager cannot be told of the host: NOTIFY_SOCKET=/nowhere/\u{1B}: No such file or directory"#
            ])
    }

    @Test func `a manager that takes nothing as long as a message may wait is reported`() throws {
        let manager = try Manager()
        let reports = Reports()
        let socket = try #require(open(["NOTIFY_SOCKET": manager.path], reports))
        // More than a manager can leave unread.
        for _ in 0..<10_000 where reports.all.isEmpty { socket.tell(.later) }
        #expect(
            reports.all == [
                "the service manager cannot be told of the host: NOTIFY_SOCKET=\(manager.path): Resource temporarily unavailable"
            ])
    }

    @Test func `without an address there is no socket`() {
        #expect(open([:]) == nil)
        #expect(open(["NOTIFY_SOCKET": ""]) == nil)
    }

    @Test(
        arguments: [
            ("3000000", nil, .seconds(3)), ("1", "41", .microseconds(1)), ("3000000", "42", nil),
            ("0", nil, nil), ("-1", nil, nil), ("soon", "41", nil), (nil, "41", nil),
        ] as [(String?, String?, Duration?)])
    func `the watchdog's interval counts where it is meant for this process`(
        interval: String?, process: String?, expected: Duration?
    ) throws {
        var variables = ["NOTIFY_SOCKET": "/nowhere"]
        variables["WATCHDOG_USEC"] = interval
        variables["WATCHDOG_PID"] = process
        #expect(try #require(open(variables)).watchdog == expected)
    }
}
