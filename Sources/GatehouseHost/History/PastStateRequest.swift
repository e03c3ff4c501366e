// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// A request to a child to make a past state.
struct PastStateRequest: Equatable, Sendable {
    /// Where to find journal and plugins.
    let source: HistorySource
    /// The requested state.
    let query: PastStateQuery

    /// Creates a request from its parts.
    init(source: HistorySource, query: PastStateQuery) {
        self.source = source
        self.query = query
    }

    /// The request as the child reads it.
    var bytes: [UInt8] {
        var members: Members = [
            "source": source.value, "pointer": .string("\(query.pointer)"), "at": Value(query.at),
        ]
        members["since"] = query.since.map { Value($0) }
        members["depth"] = query.depth.map { Value($0) }
        return Array(Value.object(members).json().utf8)
    }

    /// Reads a request; nil for anything a host does not write.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONText.parse(bytes),
            let source = value["source"].flatMap(HistorySource.init),
            let text = value["pointer"]?.stringValue, let pointer = try? JSONPointer(text),
            let at = value["at"]?.intValue, at >= 0
        else { return nil }
        let since = value["since"]?.intValue.map { UInt64(max(0, $0)) }
        var query = PastStateQuery(pointer, at: UInt64(at), since: since)
        query.depth = value["depth"]?.intValue
        self.init(source: source, query: query)
    }
}
