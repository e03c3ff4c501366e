// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseHistory
@testable import GatehouseRuntime

/// An edit after a crash has the effect that the same edit has after a good end: the past belongs to the generations that made it.
@Suite(.timeLimit(.minutes(10))) struct PastGenerationsTests {
    private static let up = #"{"type":"counter/increment"}"#
    private static let open = #"{ "id": "counter", "library": "libCounterPlugin.so" }"#
    private static let closed = #"{ "id": "counter", "library": "libCounterPlugin.so", "gate": "bypass" }"#
    private static let steps =
        #"{ "id": "counter", "library": "libCounterPlugin.so", "settings": { "step": 10 } }"#
    private static let other = #"{ "id": "till", "library": "libTillOnePlugin.so" }"#
    private static let renamed =
        #"{ "id": "meter", "was": "counter", "library": "libCounterPlugin.so", "lift": { "input": "counter/" } }"#

    private func host(_ plugins: String, in folder: TemporaryFolder) throws -> DurableHost {
        try DurableHost(
            plugins, libraries: ["CounterPlugin", "TillOnePlugin"], in: folder, discovery: "ignore")
    }

    @Test(arguments: [closed, other, steps])
    func `an entry that is edited after a crash does not change what was counted before`(edited: String)
        async throws
    {
        try await TestThread.value {
            let first = try host(Self.open, in: TemporaryFolder())
            try first.run(Self.up, Self.up, Self.up)
            let second = try host(edited, in: first.crash())
            #expect(try second.state["counter"] == ["count": 3])
            let third = try host(Self.open, in: second.crash())
            #expect(try third.state["counter"] == ["count": 3])
            try third.run(Self.up)
            #expect(try third.state["counter"] == ["count": 4])
        }
    }

    @Test func `each part of a tail is reduced by its own generation`() async throws {
        try await TestThread.value {
            let first = try host(Self.open, in: TemporaryFolder())
            try first.run(Self.up, Self.up)
            let second = try host(Self.steps, in: first.crash())
            try second.run(Self.up)
            let third = try host(Self.closed, in: second.crash())
            try third.run(Self.up)
            let last = try third.crash()
            #expect(try host(Self.open, in: last).state["counter"] == ["count": 12])
            let maker = try PastStateMaker(journal: last("journal"), isStrict: false) {
                () throws(PastFailure) in throw .child("nobody should ask for a present plan")
            }
            #expect(try maker.last() == 4)
        }
    }

    @Test func `a renamed instance takes its state along once, also when the host dies right after`()
        async throws
    {
        try await TestThread.value {
            let first = try host(Self.open, in: TemporaryFolder())
            try first.run(Self.up, Self.up)
            let second = try host(Self.renamed, in: first.crash())
            #expect(try second.state == ["meter": ["count": 2]])
            let third = try host(Self.renamed, in: second.crash())
            try third.run(Self.up)
            #expect(try host(Self.renamed, in: third.crash()).state == ["meter": ["count": 3]])
        }
    }

    @Test func `the state of an entry that goes is kept, also where another one names it as its former id`()
        async throws
    {
        try await TestThread.value {
            let meter = #"{ "id": "meter", "library": "libCounterPlugin.so" }"#
            let first = try host(Self.open + "," + meter, in: TemporaryFolder())
            try first.run(Self.up, Self.up, #"{"type":"meter/increment"}"#)
            let second = try host(Self.renamed, in: first.crash())
            #expect(try second.state == ["counter": ["count": 2], "meter": ["count": 1]])
            let third = try host(Self.open, in: second.crash())
            #expect(try third.state == ["counter": ["count": 2], "meter": ["count": 1]])
        }
    }

    @Test func `a state is migrated once, whatever ends the host after it`() async throws {
        try await TestThread.value {
            let one = #"{ "id": "m", "library": "libMigrantOnePlugin.so" }"#
            let two = #"{ "id": "m", "library": "libMigrantTwoPlugin.so" }"#
            let libraries = ["MigrantOnePlugin", "MigrantTwoPlugin"]
            let first = try DurableHost(one, libraries: libraries, in: TemporaryFolder(), discovery: "ignore")
            try first.run(#"{"type":"m/add","payload":3}"#)
            let second = try DurableHost(two, libraries: libraries, in: first.crash(), discovery: "ignore")
            #expect(try second.state == ["m": ["sum": 3]])
            try second.run(#"{"type":"m/add","payload":4}"#)
            let third = try DurableHost(two, libraries: libraries, in: second.crash(), discovery: "ignore")
            #expect(try third.state == ["m": ["sum": 7]])
        }
    }

    @Test func `the images of then are enough: the libraries need not be there any more`() async throws {
        try await TestThread.value {
            let first = try host(Self.open, in: TemporaryFolder())
            try first.run(Self.up, Self.up)
            let folder = try first.crash()
            let second = try DurableHost(Self.other, libraries: ["TillOnePlugin"], in: folder)
            #expect(try second.state["counter"] == ["count": 2])
            #expect(second.recovery.replayed == 2)
        }
    }

    @Test func `a generation whose image is gone is named with its way out`() async throws {
        try await TestThread.value {
            let first = try host(Self.open, in: TemporaryFolder())
            try first.run(Self.up, Self.up)
            let folder = try first.crash()
            for digest in FileSystem.names(in: folder("journal/images")) {
                FileSystem.remove(folder("journal/images/" + digest + "/libCounterPlugin.so"))
            }
            let failure = #expect(throws: PastFailure.self) { try host(Self.other, in: folder) }
            let words = failure?.description.replacing(folder.path, with: "<folder>") ?? ""
            #expect(
                words.hasPrefix(
                    "generation 1 of run 1, which reduced the 2 actions after action 0, cannot run here:\n  - counter: "
                ))
            #expect(
                words.hasSuffix(
                    "once with this journal, install it beside this host, as Operating.md says under \"Run plugins of another version\", or continue with --reduce-with-present, which lets the current configuration reduce them"
                ))
        }
    }
}
