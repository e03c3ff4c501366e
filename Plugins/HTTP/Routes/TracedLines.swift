// SPDX-License-Identifier: Apache-2.0

internal import CTraces
import GatehouseSDK

/// Puts the trace of a request into the actions that it brings: as `traceparent` in their `meta`, where the host looks for it.
struct TracedLines: Sendable {
    /// The header as it came.
    let header: String

    /// The trace of a request; nil where it has none, or the host makes no spans.
    init?(of request: HTTPRequest) {
        guard gatehouse_traces_are_on(), let header = request["traceparent"],
            header.utf8.count >= 55, header.utf8.count <= 256,
            header.utf8.allSatisfy({
                (48...57).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        self.header = header
    }

    /// The trace of a header.
    init(header: String) { self.header = header }

    /// Returns lines of actions with the trace in each of them; one that is no JSON object, or names a trace itself, stays as it is.
    ///
    /// What is added stands at the end, so that places in a line, which refusals name, stay the same.
    func adding(to lines: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(lines.count + 128)
        for (index, line) in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            if index > 0 { result.append(UInt8(ascii: "\n")) }
            result += traced(line) ?? Array(line)
        }
        return result
    }

    /// A line with the trace in it; nil where it is to stay as it is.
    private func traced(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard let end = line.lastIndex(of: UInt8(ascii: "}")),
            case .object(var members)? = try? JSONText.parse(Array(line)), !members.isEmpty
        else { return nil }
        switch members["meta"] {
        case nil:
            let meta: Value = ["traceparent": .string(header)]
            return line[..<end] + Array(#","meta":\#(meta.json())"#.utf8) + line[end...]
        case .object(var meta)? where meta["traceparent"] == nil:
            meta["traceparent"] = .string(header)
            members["meta"] = .object(meta)
            return Array(Value.object(members).json().utf8)
        default: return nil
        }
    }
}
