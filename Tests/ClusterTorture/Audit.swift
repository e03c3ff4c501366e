// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHostTesting

/// Compares what writers know with what was entered.
package struct Audit {
    /// The faults found, at most 50 sentences.
    package private(set) var faults: [String] = []
    /// Unacknowledged numbers that came after higher ones, because their writer had continued without them.
    package private(set) var late = 0
    /// The numbers that the late ones passed on.
    private var latePasses: Set<String> = []

    private let pages: PassbookPages
    private let terms: ClusterScene.Terms

    /// Checks everything.
    package init(_ writers: [ClusterWriter], _ pages: PassbookPages, _ terms: ClusterScene.Terms) {
        self.pages = pages
        self.terms = terms
        judgeFaults(writers)
        for writer in writers { judge(writer) }
        judgeStrangers(writers)
    }

    /// Records a fault.
    private mutating func fail(_ sentence: String) { if faults.count < 50 { faults.append(sentence) } }

    /// Checks whether each number that a state reports as faulty may be so.
    private mutating func judgeFaults(_ writers: [ClusterWriter]) {
        var owners: [String: ClusterWriter.Account] = [:]
        for writer in writers where !writer.namesLines {
            let account = writer.account
            for key in writer.keys { owners[key] = account }
        }
        for fault in pages.faults {
            // KEY: NUMBER of WRITER behind LAST
            let words = fault.split(separator: " ").map(String.init)
            guard words.count == 6, let number = Int(words[1]) else {
                fail("a fault that cannot be read: \(fault)")
                continue
            }
            let (key, writer) = (String(words[0].dropLast()), words[3])
            let isPassed = writer.hasPrefix("k")
            let (source, original) = isPassed ? (writer, number * terms.passing) : (key, number)
            if pages.has(number, of: writer, for: key) {
                fail("\(fault): entered twice")
            } else if let account = owners[source], !account.hasAcknowledged(original, of: source) {
                late += 1
                if !isPassed, number % terms.passing == 0 {
                    latePasses.insert("\(key) \(number / terms.passing)")
                }
            } else {
                fail("\(fault): too late")
            }
        }
    }

    /// Checks the numbers of a writer.
    private mutating func judge(_ writer: ClusterWriter) {
        let account = writer.account
        for oddity in account.oddities { fail(oddity) }
        for key in writer.keys {
            let sent = account.sent[key] ?? 0
            let entered = pages.runs(key, of: writer.name)
            if writer.namesLines {
                if entered != (sent == 0 ? [] : [1...sent]) {
                    fail("\(key) of \(writer.name): sent up to \(sent), entered \(entered)")
                }
            } else {
                for run in account.acknowledged[key] ?? []
                where !entered.contains(where: { $0.contains(run) }) {
                    fail("\(key) of \(writer.name): acknowledged \(run), entered \(entered)")
                }
                if let last = entered.last?.upperBound, last > sent {
                    fail("\(key) of \(writer.name): sent up to \(sent), entered \(entered)")
                }
            }
            judgePasses(of: key, entered)
        }
    }

    /// Checks that everything a key passed on is in its place, once.
    private mutating func judgePasses(of key: String, _ entered: [ClosedRange<Int>]) {
        guard terms.passing > 0 else { return }
        var wanted: [Int] = []
        for run in entered {
            let first = (run.lowerBound + terms.passing - 1) / terms.passing
            let last = run.upperBound / terms.passing
            if first <= last { wanted += Array(first...last) }
        }
        let target = PassbookPages.target(of: key, among: terms.keys)
        let passed = pages.runs(target, of: key).flatMap(Array.init)
        guard passed != wanted else { return }
        let difference = Set(passed).symmetricDifference(wanted).filter {
            !latePasses.contains("\(key) \($0)")
        }
        if !difference.isEmpty {
            fail(
                "\(target) has from \(key) other numbers than were passed on: \(difference.sorted().prefix(20))"
            )
        }
    }

    /// Checks that nothing was entered that nobody sent.
    private mutating func judgeStrangers(_ writers: [ClusterWriter]) {
        let names = Set(writers.map(\.name))
        for (key, page) in pages.entered {
            for source in page.keys where !names.contains(source) {
                if PassbookPages.target(of: source, among: terms.keys) != key {
                    fail("\(key) has numbers of \(source), whom nobody knows")
                }
            }
        }
    }

    /// Checks that a single host reaches the same pages from the same actions; returns sentences about the differences.
    ///
    /// - Parameter entered: the actions that were entered, those of each key in order.
    package static func compare(
        _ pages: PassbookPages, with writers: [ClusterWriter], _ terms: ClusterScene.Terms
    ) throws -> [String] {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("plugins")
        try folder.copyLibrary("PassbookPlugin", as: "plugins/libPassbookPlugin.so")
        try folder.write(
            #"{ "plugins": [{ "id": "passbook", "settings": { "passing": \#(terms.passing), "keys": \#(terms.keys) } }] }"#,
            to: "plugins.json")
        var lines = ""
        for writer in writers {
            for key in writer.keys {
                for number in pages.runs(key, of: writer.name).joined() {
                    lines += writer.line(number, of: key, isNamed: false)
                }
            }
        }
        try folder.write(lines, to: "actions.ndjson")
        let outcome = try ChildProcess.run(
            arguments: ["run", "--input", "actions.ndjson", "--print", "state"], in: folder.path,
            limit: .seconds(3_600), environment: ["CACHE_DIRECTORY": folder("cache")])
        guard outcome.exitCode == 0 else { return ["a single host: \(outcome.errors)"] }
        let single = try PassbookPages(single: outcome.output)
        guard single.entered != pages.entered else { return [] }
        return pages.entered.keys.filter { pages.entered[$0] != single.entered[$0] }.sorted().prefix(20).map {
            "\($0): \(pages.entered[$0] ?? [:]) in the cluster, \(single.entered[$0] ?? [:]) in a single host"
        } + (pages.entered.count == single.entered.count ? [] : ["a single host has other keys"])
    }
}
