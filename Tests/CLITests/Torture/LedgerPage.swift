// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

/// What the fixture Ledger has entered for one writer, as a state says it.
struct LedgerPage: Equatable {
    /// Runs of numbers that were entered, in order.
    var entered: [ClosedRange<Int>] = []
    /// The same of those whose answers came.
    var answered: [ClosedRange<Int>] = []
    /// What came again, or too late.
    var faults: [String] = []

    /// A page without entries.
    init() {}

    /// The page of a writer in the state of a host; without entries when the writer has none.
    init(of writer: String, in state: Value) throws {
        guard let page = state["ledger"]?["writers"]?[writer] else { return }
        entered = try Self.runs(page["entered"])
        answered = try Self.runs(page["answered"])
        faults = try #require(page["faults"]?.arrayValue).map { $0.stringValue ?? "\($0)" }
    }

    /// Pairs of first and last.
    private static func runs(_ value: Value?) throws -> [ClosedRange<Int>] {
        try #require(value?.arrayValue).map { pair in
            try #require(pair[0]?.intValue)...(try #require(pair[1]?.intValue))
        }
    }
}
