// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseControl
@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseSupport

/// What is tried: bytes that nobody can change any more.
@Suite(.timeLimit(.minutes(10))) struct CandidateTests {
    private let trust = FileTrust(isStrict: false)

    /// What is wrong with a candidate; empty for nothing.
    private func problems(_ origin: CandidateOrigin) -> [String] {
        do throws(Diagnostics) {
            _ = try Candidate(origin, trust: trust)
            return []
        } catch {
            return error.all.map(\.description)
        }
    }

    @Test func `bytes that a client sends are a configuration, unless they begin like a library`() throws {
        let text = Array(#"{"plugins":[]}"#.utf8)
        let configuration = try Candidate(.upload(name: "next.json", bytes: text), trust: trust)
        #expect(configuration.kind == .configuration && configuration.library == nil)
        #expect((configuration.name, configuration.title) == ("next.json", "next.json"))
        #expect(configuration.digest == SHA256.digest(text).hex)
        #expect(configuration.signature == nil)
        #expect(try FileSystem.read(configuration.path) == text)
        for (bytes, kind) in [
            ([0x7f, 0x45, 0x4c, 0x46], .library), ([0x7f, 0x45, 0x4c], .configuration), ([], .configuration),
        ] as [([UInt8], Candidate.Kind)] {
            let candidate = try Candidate(.upload(name: "libA.so", bytes: bytes), trust: trust)
            #expect(candidate.kind == kind)
            #expect(candidate.library == (kind == .library ? candidate.path : nil))
        }
    }

    @Test func `a file is read once, with its signature, and its copy goes with the candidate`() throws {
        let folder = try TemporaryFolder()
        try folder.write("{}", to: "next.json")
        try folder.write("signed", to: "next.json" + SigningJudge.suffix)
        let copy: String
        do {
            let candidate = try Candidate(.file(folder("next.json")), trust: trust)
            try folder.write("changed", to: "next.json")
            copy = candidate.path
            #expect(candidate.bytes == Array("{}".utf8))
            #expect(try FileSystem.read(copy) == Array("{}".utf8))
            #expect(candidate.signature == Array("signed".utf8))
            #expect(try FileSystem.read(copy + SigningJudge.suffix) == Array("signed".utf8))
            #expect(candidate.title == "next.json" && copy.hasSuffix("/next.json"))
        }
        #expect(throws: (any Error).self) { try FileSystem.read(copy) }
    }

    @Test func `a file that cannot be read is told with its path`() throws {
        let folder = try TemporaryFolder()
        let problem = try #require(problems(.file(folder("none.json"))).first)
        #expect(problem.contains(folder("none.json")))
        #expect(problems(.file(folder.path)).count == 1)
    }

    @Test func `a configuration takes the place of the host's file, beside the same journal and folder`()
        throws
    {
        let host = HistorySource(
            path: "/etc/plugins", isFolder: true, base: "/etc", journal: "/var/journal", isStrict: true)
        let configuration = try Candidate(
            .upload(name: "next.json", bytes: Array("{}".utf8)), trust: trust)
        #expect(
            configuration.source(instead: host)
                == HistorySource(
                    path: configuration.path, isFolder: false, base: "/etc", journal: "/var/journal",
                    isStrict: true))
        let library = try Candidate(
            .upload(name: "libA.so", bytes: [0x7f, 0x45, 0x4c, 0x46]), trust: trust)
        #expect(library.source(instead: host) == host)
    }

    @Test func `a configuration is planned from the host's folder, and told by the name it came under`()
        throws
    {
        let folder = try TemporaryFolder()
        try folder.copyLibrary("CounterPlugin")
        try folder.write(#"{"directory": "."}"#, to: "plugins.json")
        let host = HistorySource(
            path: folder("plugins.json"), isFolder: false, base: folder.path, journal: folder("journal"),
            isStrict: false)
        let good = try Candidate(
            .upload(
                name: "next.json", bytes: Array(#"{"directory": ".", "plugins": [{"id": "counter"}]}"#.utf8)),
            trust: trust)
        #expect(try good.plan(insteadOf: host).instances.map(\.id) == ["counter"])
        let bad = try Candidate(.upload(name: "next.json", bytes: Array("{".utf8)), trust: trust)
        #expect {
            _ = try bad.plan(insteadOf: host)
        } throws: { error in
            (error as? Diagnostics)?.all.first?.description.hasPrefix("next.json:1:2: ") == true
        }
    }

    @Test func `a library takes the place of those with its plugin id`() throws {
        let folder = try TemporaryFolder()
        try folder.copyLibrary("CounterPlugin")
        try folder.write(#"{"directory": ".", "plugins": [{"id": "counter"}]}"#, to: "plugins.json")
        let host = HistorySource(
            path: folder("plugins.json"), isFolder: false, base: folder.path, journal: folder("journal"),
            isStrict: false)
        let next = try Candidate(.file(BuiltProducts.library("CounterPlugin")), trust: trust)
        let plan = try next.plan(insteadOf: host)
        #expect(plan.instances.map(\.id) == ["counter"])
        #expect(plan.instances.first?.library?.path == next.path)
    }
}
