// SPDX-License-Identifier: Apache-2.0

internal import CTraces

/// The header that lets a service continue the trace of an action.
enum TraceHeader {
    /// The value of `traceparent` for what the action in hand sends; nil where it is not traced. Read it in the drain.
    static var current: String? {
        // 55 characters and a zero.
        var text = [CChar](repeating: 0, count: 64)
        guard unsafe gatehouse_traces_write_header(&text, text.count) else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
