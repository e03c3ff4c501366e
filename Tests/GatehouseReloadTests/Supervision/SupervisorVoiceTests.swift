// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseReload

/// What a supervisor says, and to whom.
@Suite(.timeLimit(.minutes(10))) struct SupervisorVoiceTests {
    /// A pipe that holds one page.
    private func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        // F_SETPIPE_SZ, which the Glibc module hides.
        _ = fcntl(ends[1], 1_031, 4_096)
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    /// What a pipe holds.
    private func take(_ end: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(end, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    @Test func `a sentence is a line of the program`() throws {
        let ends = try pipe()
        defer { [ends.read, ends.write].forEach { close($0) } }
        var voice = SupervisorVoice(on: ends.write)
        voice.tell("the host ends")
        #expect(take(ends.read) == "gatehouse: the host ends\n")
        #expect(!voice.isWaiting)
    }

    @Test func `nobody is waited for, what has room waits in order, and the rest is counted`() throws {
        let ends = try pipe()
        defer { [ends.read, ends.write].forEach { close($0) } }
        var voice = SupervisorVoice(on: ends.write, limit: 3_000)
        let long = String(repeating: "x", count: 987)
        // 1,000 bytes each: 4 and 96 bytes in the pipe, then up to 3,000 that wait.
        for number in 0..<20 { voice.tell("\(number % 10) \(long.dropLast(1))") }
        #expect(voice.isWaiting)
        var text = take(ends.read)
        for _ in 0..<3 {
            voice.flush()
            text += take(ends.read)
        }
        let lines = text.split(separator: "\n")
        let kept = lines.dropLast()
        #expect(
            kept.map { $0.dropFirst("gatehouse: ".count).prefix(1) } == (0..<kept.count).map { "\($0 % 10)" })
        #expect((6...8).contains(kept.count))
        #expect(
            lines.last
                == "gatehouse: \(20 - kept.count) lines of the supervisor were dropped, because nobody read standard error"
        )
        #expect(!voice.isWaiting)
        voice.tell("again")
        #expect(take(ends.read) == "gatehouse: again\n")
    }

    @Test func `to nobody, nothing is told, and nothing waits`() throws {
        Glibc.signal(SIGPIPE, SIG_IGN)
        let ends = try pipe()
        close(ends.read)
        defer { close(ends.write) }
        var voice = SupervisorVoice(on: ends.write)
        voice.tell("the host ends")
        #expect(!voice.isWaiting)
    }

    /// Fills a pipe to its last byte.
    private func fill(_ end: Int32) throws {
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 4_096)
        try #require(unsafe write(end, bytes, bytes.count) == 4_096)
    }

    @Test(arguments: [-1, 0])
    func `a line waits if it fits to the last byte`(more: Int) throws {
        let ends = try pipe()
        defer { [ends.read, ends.write].forEach { close($0) } }
        try fill(ends.write)
        let sentence = String(repeating: "y", count: 100)
        let line = "gatehouse: \(sentence)\n"
        var voice = SupervisorVoice(on: ends.write, limit: line.utf8.count * 2 + more)
        voice.tell(sentence)
        voice.tell(sentence)
        #expect(voice.isWaiting)
        #expect(take(ends.read) == String(repeating: "x", count: 4_096))
        voice.flush()
        let told =
            more == 0
            ? line + line
            : line
                + "gatehouse: 1 line of the supervisor were dropped, because nobody read standard error\n"
        #expect(take(ends.read) == told)
        #expect(!voice.isWaiting)
    }

    @Test func `what comes after a line that was dropped is dropped too, however short`() throws {
        let ends = try pipe()
        defer { [ends.read, ends.write].forEach { close($0) } }
        try fill(ends.write)
        var voice = SupervisorVoice(on: ends.write, limit: 200)
        voice.tell("one")
        voice.tell(String(repeating: "y", count: 200))
        voice.tell("two")
        _ = take(ends.read)
        voice.flush()
        #expect(
            take(ends.read)
                == "gatehouse: one\ngatehouse: 2 lines of the supervisor were dropped, because nobody read standard error\n"
        )
        voice.tell("three")
        #expect(take(ends.read) == "gatehouse: three\n")
    }

    @Test func `the last lines are written, and none waits any more`() throws {
        let ends = try pipe()
        defer { [ends.read, ends.write].forEach { close($0) } }
        try fill(ends.write)
        var voice = SupervisorVoice(on: ends.write)
        voice.tell("the host ends")
        _ = take(ends.read)
        voice.finish()
        #expect(!voice.isWaiting)
        #expect(take(ends.read) == "gatehouse: the host ends\n")
    }

    @Test func `what usually waits is 64 KiB`() throws {
        let ends = try pipe()
        defer { [ends.read, ends.write].forEach { close($0) } }
        // With the program's name, a space and the end of the line.
        for (count, told) in [
            (65_536 - 12, "gatehouse: yyy"),
            (65_536 - 11, "gatehouse: 1 line of the supervisor were dropped"),
        ] {
            try fill(ends.write)
            var voice = SupervisorVoice(on: ends.write)
            voice.tell(String(repeating: "y", count: count))
            _ = take(ends.read)
            voice.flush()
            #expect(take(ends.read).hasPrefix(told))
        }
    }
}
