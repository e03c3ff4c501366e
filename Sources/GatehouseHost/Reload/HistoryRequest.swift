// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// A request to a child to try a configuration on the past.
struct HistoryRequest: Equatable, Sendable {
    /// Where to find configuration and journal.
    let source: HistorySource
    /// The number of actions to replay.
    let count: Int
    /// The last of them.
    let last: UInt64
    /// The host's state after that action.
    let state: Value

    /// Creates a request on the actions up to one.
    init(source: HistorySource, count: Int, last: UInt64, state: Value) {
        self.source = source
        self.count = count
        self.last = last
        self.state = state
    }

    /// The request as the child reads it.
    var bytes: [UInt8] {
        let value: Value = [
            "source": source.value, "count": Value(count), "last": Value(Int(clamping: last)),
            "state": state,
        ]
        return Array(value.json().utf8)
    }

    /// Reads a request; nil for anything a host does not write.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONText.parse(bytes),
            let source = value["source"].flatMap(HistorySource.init),
            let count = value["count"]?.intValue, let last = value["last"]?.intValue, last >= 0,
            let state = value["state"]
        else { return nil }
        self.init(source: source, count: count, last: UInt64(last), state: state)
    }
}
