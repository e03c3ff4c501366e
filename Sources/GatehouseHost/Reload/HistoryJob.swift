// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What a child of the host is to try on the past.
struct HistoryJob: Equatable, Sendable {
    /// Where it finds everything.
    let source: HistorySource
    /// How many actions it goes over.
    let count: Int
    /// The last of them.
    let last: UInt64
    /// The state behind that, as the host has it.
    let state: Value

    /// A job on the actions up to one.
    init(source: HistorySource, count: Int, last: UInt64, state: Value) {
        self.source = source
        self.count = count
        self.last = last
        self.state = state
    }

    /// The job as a child reads it.
    var bytes: [UInt8] {
        let value: Value = [
            "source": source.value, "count": Value(count), "last": Value(Int(clamping: last)),
            "state": state,
        ]
        return Array(value.json().utf8)
    }

    /// Reads a job; nil for what no host writes.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONText.parse(bytes),
            let source = value["source"].flatMap(HistorySource.init),
            let count = value["count"]?.intValue, let last = value["last"]?.intValue, last >= 0,
            let state = value["state"]
        else { return nil }
        self.init(source: source, count: count, last: UInt64(last), state: state)
    }
}
