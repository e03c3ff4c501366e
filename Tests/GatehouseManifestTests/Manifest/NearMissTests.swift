// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import Testing

@Suite(.timeLimit(.minutes(10))) struct NearMissTests {
    private let keys = [
        "id", "version", "summary", "principal", "consumes", "emits", "settings", "permissions", "scope",
    ]

    @Test(arguments: [
        ("versoin", "version"), ("consume", "consumes"), ("emit", "emits"), ("Id", "id"),
        ("SUMMARY", "summary"),
        ("principle", "principal"), ("permision", "permissions"), ("setings", "settings"), ("di", "id"),
    ])
    func `a slip of the finger finds its word`(word: String, meant: String) {
        #expect(NearMiss.suggestion(for: word, among: keys) == meant)
    }

    @Test(arguments: ["author", "x", "", "name", "licence", "ids-of-everything"])
    func `another word finds nothing`(word: String) {
        #expect(NearMiss.suggestion(for: word, among: keys) == nil)
    }

    @Test func `the first of equally close words wins`() {
        #expect(NearMiss.suggestion(for: "gate", among: ["late", "date"]) == "late")
        #expect(NearMiss.suggestion(for: "gate", among: ["gates", "date", "gat"]) == "gates")
    }

    @Test func `a word is no suggestion for itself`() {
        #expect(NearMiss.suggestion(for: "gate", among: ["gate"]) == nil)
        #expect(NearMiss.suggestion(for: "gate", among: []) == nil)
    }
}
