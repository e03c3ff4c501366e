// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// A whole number in settings that has limits.
@Suite(.timeLimit(.minutes(10))) struct BoundedTests {
    private enum Percent: SettingRange {
        static var range: ClosedRange<Int> { 1...100 }
    }

    private struct Settings: PluginSettings {
        @Bounded<Percent> var share = 50
    }

    @Test func `a number within the limits is taken and written, one beside them is refused`() throws {
        #expect(Settings().share == 50)
        for share in [1, 7, 100] {
            let value: Value = ["share": .integer(Int64(share))]
            let settings = try value.decode(Settings.self)
            #expect(settings.share == share)
            #expect(try Value(encoding: settings) == value)
        }
        for share in [0, -1, 101] {
            let failure = #expect(throws: CodingFailure.self) {
                try (["share": .integer(Int64(share))] as Value).decode(Settings.self)
            }
            #expect(failure?.description == "/share: expected 1 to 100, found \(share)")
        }
    }

    @Test func `what an encoder refuses is an error`() {
        #expect(throws: RefusingEncoder.Refusal.self) {
            try Bounded<Percent>(wrappedValue: 5).encode(to: RefusingEncoder())
        }
    }
}
