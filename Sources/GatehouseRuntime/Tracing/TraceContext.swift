// SPDX-License-Identifier: Apache-2.0

/// A span of a trace, as services name it to each other: the header `traceparent` of W3C Trace Context.
package struct TraceContext: Hashable, Sendable {
    /// The number of a trace; not zero.
    package struct ID: Hashable, Sendable, CustomStringConvertible {
        /// Its upper and its lower half.
        let high, low: UInt64

        /// 32 small hexadecimal digits.
        package var description: String { TraceContext.hex(high) + TraceContext.hex(low) }
    }

    /// The trace.
    package let trace: ID
    /// The span, which is the parent of what follows from it; not zero.
    let span: UInt64
    /// Whether the spans of the trace are wanted.
    let isSampled: Bool

    /// A span of a trace.
    init(trace: ID, span: UInt64, isSampled: Bool) {
        (self.trace, self.span, self.isSampled) = (trace, span, isSampled)
    }

    /// Reads a header, also one of a later version, which may be longer; nil for one that is none.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, let version = Self.number(parts[0], digits: 2), version != 0xff,
            version > 0 || parts.count == 4, parts[1].utf8.count == 32,
            let high = Self.number(parts[1].prefix(16), digits: 16),
            let low = Self.number(parts[1].suffix(16), digits: 16), high | low != 0,
            let span = Self.number(parts[2], digits: 16), span != 0,
            let flags = Self.number(parts[3], digits: 2)
        else { return nil }
        self.init(trace: ID(high: high, low: low), span: span, isSampled: flags & 1 != 0)
    }

    /// The header.
    package var text: String { "00-\(trace)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// The number of the span: 16 small hexadecimal digits.
    package var spanID: String { Self.hex(span) }

    /// A number as 16 small hexadecimal digits.
    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads a number of exactly so many small hexadecimal digits.
    private static func number(_ text: Substring, digits: Int) -> UInt64? {
        guard text.utf8.count == digits,
            text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        return UInt64(text, radix: 16)
    }
}
