// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK

/// The way of one action through the host, as a collector of traces shows it.
package struct ActionSpan: Sendable {
    /// The trace and the span.
    let context: TraceContext
    /// The span of the cause; 0 for none.
    let parent: UInt64
    /// Whether the cause is in another service.
    let isParentRemote: Bool
    /// The type of the action.
    let name: String
    /// Where it came from.
    let source: ActionSource
    /// Its number in the journal, or without one its number in this run.
    let sequence: UInt64
    /// When it came in hand, in nanoseconds since 1970.
    let start: UInt64
    /// When it was done, and what it had led to waited; in nanoseconds since 1970.
    var end: UInt64
    /// The instances that did not hear it because of their gates, in chain order.
    var gated: [String] = []
    /// What went wrong while it was in hand.
    var errors: [String] = []

    /// The most errors that are kept; the first ones.
    static let mostErrors = 8

    /// The span in OTLP's JSON.
    var value: Value {
        var attributes = [Self.attribute("gatehouse.sequence", ["intValue": .string("\(sequence)")])]
        if let instance = source.instance {
            attributes.append(Self.attribute("gatehouse.instance", instance))
        } else {
            attributes.append(Self.attribute("gatehouse.input", "\(source.file):\(source.line)"))
        }
        if !gated.isEmpty {
            let values = gated.map { Value.object(["stringValue": .string($0)]) }
            attributes.append(
                Self.attribute("gatehouse.gated", ["arrayValue": ["values": .array(values)]]))
        }
        // 2 is a span that answers another service, 1 one inside of this one.
        var members: Members = [
            "traceId": .string("\(context.trace)"), "spanId": .string(context.spanID), "name": .string(name),
            "kind": Value(isParentRemote ? 2 : 1), "startTimeUnixNano": .string("\(start)"),
            "endTimeUnixNano": .string("\(end)"), "attributes": .array(attributes),
        ]
        if parent != 0 { members["parentSpanId"] = .string(TraceContext.hex(parent)) }
        if !errors.isEmpty {
            members["status"] = ["code": 2, "message": .string(errors.joined(separator: "; "))]
        }
        return .object(members)
    }

    /// A text under a name, as OTLP has it.
    static func attribute(_ key: String, _ text: String) -> Value {
        attribute(key, ["stringValue": .string(text)])
    }

    /// A value under a name, as OTLP has it.
    private static func attribute(_ key: String, _ value: Value) -> Value {
        ["key": .string(key), "value": value]
    }
}
