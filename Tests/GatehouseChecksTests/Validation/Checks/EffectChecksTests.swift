// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks

/// What a plugin hears whose answers are compared.
@Suite(.timeLimit(.minutes(10))) struct EffectChecksTests {
    @Test func `of a long recording the first 200 actions are sent, twice`() throws {
        let observed = try ObservedSubject(
            "DefectivePlugin", examples: (1...201).map { ExampleAction("note", payload: .integer($0)) })
        #expect(try observed.perform("effects/same-twice") == .pass)
        let heard = try observed.steps.filter { $0.hasPrefix("when it heard note with ") }
        let first = (1...200).map { "when it heard note with \($0)" }
        #expect(heard == first + first)
    }
}
