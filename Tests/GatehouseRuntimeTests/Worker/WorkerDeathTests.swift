// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What the end of a worker's process tells.
@Suite(.timeLimit(.minutes(10))) struct WorkerDeathTests {
    /// A library of this build, as a host knows it.
    private static let image = (path: BuiltProducts.library("DoomedPlugin"), name: "libDoomed.so")

    /// The death of a process that wrote some words.
    private func death(
        _ end: ChildEnd = .signal(SIGILL), words: String = "", objection: String? = nil,
        record: FlightRecord? = nil
    ) -> WorkerDeath {
        var outcome = HostChild.Outcome()
        (outcome.end, outcome.words) = (end, words)
        return WorkerDeath(outcome, objection: objection, record: record, images: [Self.image])
    }

    /// What a flight recorder tells of an action in hand.
    private func record(_ sequence: UInt64?, _ type: String?, _ step: PluginStep?) -> FlightRecord {
        var record = FlightRecord(blame: .record, store: .host, sentence: "")
        (record.sequence, record.type, record.step) = (sequence, type, step)
        return record
    }

    @Test func `it says how, and with which action in hand`() {
        #expect(death().text == "died by SIGILL")
        #expect(death(.exit(3)).text == "called exit(3)")
        #expect(death(.finished).text == "ended")
        #expect(
            death(record: record(1_234, "a/b", .handle)).text == "died by SIGILL at action 1,234, a/b")
        #expect(death(record: record(7, nil, nil)).text == "died by SIGILL at action 7")
        #expect(death(objection: "did not return within 2 s").text == "did not return within 2 s")
    }

    @Test func `a kill from outside is chance, unless the host has ended it`() {
        #expect(death(.signal(SIGKILL)).facts.isChance)
        #expect(!death(.signal(SIGKILL), objection: "was ended").facts.isChance)
        #expect(!death(.signal(SIGABRT)).facts.isChance)
    }

    @Test func `what the kernel ends for want of memory has taken it, unless others have`() {
        #expect(
            death(.outgrown(512 << 20)).text
                == #"took more memory than the 512 MiB of its control group ("limits"/"memory")"#)
        #expect(!death(.outgrown(512 << 20)).facts.isChance)
        #expect(
            death(.starved).text == "died by SIGKILL for want of memory outside of its control group")
        #expect(death(.starved).facts.isChance)
    }

    @Test func `it did not die of an effect where it was making its instances`() {
        let outcome = HostChild.Outcome()
        #expect(
            WorkerDeath(outcome, objection: nil, record: nil, isAtStart: true, images: [Self.image])
                .facts.wasInPlugin)
    }

    @Test func `the innermost call of any library tells which instances may have done it`() {
        let images = [
            (path: "/a/libOne.so", name: "One"), (path: "/a/libTwo.so", name: "Two"),
            (path: "/b/libOne.so", name: "One"),
        ]
        let call = { (name: String) in "gatehouse call: \(name)+0x10\n" }
        let found = { (words: String) in WorkerDeath.callees(in: words, among: images) }
        #expect(found(call("libc.so.6") + call("libTwo.so") + call("libOne.so")) == [1])
        #expect(found(call("libc.so.6") + call("libOne.so") + call("libTwo.so")) == [0, 2])
        #expect(found(call("libc.so.6") + call("/a/libTwo.so") + "libTwo.so+0x10\n") == [])
        #expect(found("") == [])
    }

    @Test func `it was in code of the plugin where a step says so`() {
        #expect(!death().facts.wasInPlugin)
        #expect(!death(record: record(1, "a", nil)).facts.wasInPlugin)
        #expect(death(record: record(nil, nil, .handle)).facts.wasInPlugin)
    }

    @Test func `what the plugin said last stands in parentheses`() {
        #expect(death().words == "")
        #expect(
            death(words: "a\nDoomed/A.swift:3: Fatal error: no\nb\n").words
                == " (Doomed/A.swift:3: Fatal error: no)")
    }

    @Test func `calls of its library are told with what the file says of them, down to the outermost one`()
        throws
    {
        let file = try #require(Self.image.path.split(separator: "/").last)
        let words = "gatehouse call: libc.so.6+0x10\ngatehouse call: \(file)+0x8\ngatehouse call: +0x4\n"
        #expect(
            death(words: words).calls
                == ["at <unknown> in libc.so.6 + 0x10", "at <unknown> in libDoomed.so + 0x8"])
    }

    @Test func `words that name no call, or none of a known file, harm nobody`() {
        let words = [
            "gatehouse call: ", "gatehouse call: x", "gatehouse call: x+0x", "gatehouse call: x+0xg",
            "gatehouse call: x+0x11111111111111111", "gatehouse call: x+17", "gatehouse call:x+0x1",
        ]
        #expect(death(words: words.joined(separator: "\n")).calls == [])
        #expect(
            death(words: "gatehouse call: ../../../etc/passwd+0x1\ngatehouse call: passwd+0xffffffffffffffff")
                .calls
                == [
                    "at <unknown> in ../../../etc/passwd + 0x1",
                    "at <unknown> in passwd + 0xffffffffffffffff",
                ])
        let many = Array(repeating: "gatehouse call: a+0x1\n", count: 10_000).joined()
        #expect(death(words: many).calls.count == 8)
    }
}
