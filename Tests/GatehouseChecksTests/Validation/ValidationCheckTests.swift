// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks

/// The table of the checks, and who is asked for by which word.
@Suite(.timeLimit(.minutes(10))) struct ValidationCheckTests {
    @Test func `names are unique, and each has a sentence`() {
        let names = ValidationCheck.all.map(\.name)
        #expect(Set(names).count == names.count)
        for check in ValidationCheck.all {
            #expect(check.expectation.hasSuffix("."), "\(check.name)")
            #expect(check.name.split(separator: "/").count == 2, "\(check.name)")
            #expect(check.name.allSatisfy { $0 == "/" || $0 == "-" || $0.isLowercase }, "\(check.name)")
        }
    }

    @Test func `a check relies on others that there are, and that run code`() {
        for check in ValidationCheck.all {
            guard let name = check.prerequisite else { continue }
            #expect(ValidationCheck[name]?.runsCode == true, "\(check.name)")
            #expect(check.depth <= 5, "\(check.name)")
        }
    }

    @Test func `a word names a check, or the group before the slash`() throws {
        let names = { (words: [String]) in try ValidationCheck.selected(by: words).map(\.name) }
        #expect(try names(["gate/often"]) == ["gate/often"])
        #expect(try names(["gate"]) == ["gate/closed", "gate/silence", "gate/often"])
        #expect(try names(["gate/"]) == (try names(["gate"])))
        #expect(try names(["gate/*"]) == (try names(["gate"])))
        #expect(try names(["gate/often", "lifecycle/load"]) == ["lifecycle/load", "gate/often"])
        #expect(try names([]).count == ValidationCheck.all.count)
        #expect(throws: UnknownCheck(word: "gat", suggestion: "gate")) { try names(["gat"]) }
        #expect(throws: UnknownCheck(word: "gate/oft", suggestion: "gate/often")) { try names(["gate/oft"]) }
    }

    // MARK: - Odd values

    @Test func `odd values are put at each place of a value`() {
        let value: Value = ["a": [1, "x"], "b": .object(Members())]
        #expect(
            OddValues.places(in: value).map(\.description) == ["/a/0", "/a/1", "/b"])
        #expect(
            OddValues.places(in: value, containers: true).map(\.description) == [
                "", "/a", "/a/0", "/a/1", "/b",
            ])
        let place = OddValues.places(in: value)[1]
        #expect(OddValues.replacing(place, in: value, by: 2) == ["a": [1, 2], "b": .object(Members())])
    }

    @Test func `the same seed gives the same random values`() {
        let values = ([7, 7, 8] as [UInt64]).map { seed in
            var numbers = SeededNumbers(seed: seed)
            return (0..<50).map { _ in OddValues.random(&numbers) }
        }
        #expect(values[0] == values[1])
        #expect(values[0] != values[2])
    }
}
