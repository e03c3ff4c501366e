// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct ProcessUseTests {
    /// A line of the system's account of this process, in bytes.
    private func status(_ name: String) throws -> Int {
        let bytes = try SystemFile.bytes(of: "/proc/self/status", limit: 1 << 16)
        let line = try #require(
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name + ":") })
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        return try #require(words.count == 3 ? Int(words[1]) : nil) * 1_024
    }

    @Test func `memory is what a process has of its own and of files, and less than it has asked for`() throws
    {
        let use = try #require(ProcessUse(of: getpid()))
        // Other tests take and return memory meanwhile, but not as much as the program itself.
        let files = try status("RssFile")
        #expect(use.memory > files + 1 << 20)
        #expect(use.memory < (try status("VmPeak")))
        #expect(use.peak == nil)
    }

    @Test func `time is that of all processors for the process and for its calls`() throws {
        var before = rusage()
        #expect(unsafe getrusage(Int32(RUSAGE_SELF.rawValue), &before) == 0)
        let use = try #require(ProcessUse(of: getpid()))
        var after = rusage()
        #expect(unsafe getrusage(Int32(RUSAGE_SELF.rawValue), &after) == 0)
        // The system counts in hundredths here, and rounds each part down.
        #expect(use.seconds > seconds(before) - 0.03 && use.seconds < seconds(after) + 0.03)
    }

    /// The time of the process and of its calls.
    private func seconds(_ use: rusage) -> Double {
        Double(use.ru_utime.tv_sec + use.ru_stime.tv_sec)
            + Double(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6
    }

    @Test func `a process that is gone uses nothing that could be told`() {
        #expect(ProcessUse(of: -1) == nil)
    }
}
