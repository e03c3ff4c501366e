// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

/// Holds Documentation/ThreatModel.md to the tests that it names.
@Suite(.timeLimit(.minutes(10))) struct ThreatModelTests {
    /// The folder of the project.
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A text on one line, with one blank between two words.
    private static func folded(_ text: some StringProtocol) -> String {
        text.split { $0.isWhitespace }.joined(separator: " ")
    }

    /// The sentences that are names of tests in a file.
    private static func names(in source: String) -> [String] {
        source.components(separatedBy: "func `").dropFirst().compactMap { rest in
            rest.firstIndex(of: "`").map { folded(rest[..<$0]) }
        }
    }

    @Test func `each promise names a test that is there`() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "Documentation/ThreatModel.md"), encoding: .utf8)
        // What is in italics and not in bold.
        let named = text.replacing("**", with: "").split(separator: "*", omittingEmptySubsequences: false)
            .enumerated().filter { $0.offset % 2 == 1 }.map { Self.folded($0.element) }
        #expect(named.count > 70)
        var known: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(
            atPath: Self.root.appending(path: "Tests").path)
        where path.hasSuffix(".swift") {
            known.formUnion(
                Self.names(
                    in: try String(contentsOf: Self.root.appending(path: "Tests/" + path), encoding: .utf8)))
        }
        for name in named where !known.contains(name) { Issue.record("there is no test \(name)") }
        let promises = text.components(separatedBy: "## What they do not give")[0]
            .components(separatedBy: "## What the checks give")[1].components(separatedBy: "\n- ")
        for promise in promises.dropFirst() {
            let proof = promise.replacing("**", with: "")
            #expect(proof.contains("*") || proof.contains("Tests`"), "without a test: \(promise.prefix(60))")
        }
    }
}
