// SPDX-License-Identifier: Apache-2.0

/// The fields of a request's header, with a check for ambiguities.
///
/// A proxy that reads a request differently from this server could be made to pass something it should not.
struct HeaderFields: Sendable {
    /// The values by field name, in lower case; the first of repeated ones counts.
    private(set) var values: [String: String] = [:]
    /// The mistake, in a sentence for the sender; nil for none so far.
    private(set) var objection: String?

    /// Fields that determine the end and the sender of a request; each may occur once.
    private static let single: Set = [
        "host", "content-length", "transfer-encoding", "authorization", "origin",
    ]

    /// The value of a field; the name must be in lower case.
    subscript(field: String) -> String? { values[field] }

    /// Adds a field as it came.
    mutating func add(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>) {
        guard !name.isEmpty, name.allSatisfy(Self.isToken) else {
            return object(
                to: "expected letters, digits and marks as the name of a header field, found others")
        }
        let field = String(decoding: name, as: UTF8.self).lowercased()
        guard !value.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) else {
            return object(to: "expected \(field) without control characters, found one")
        }
        if values[field] == nil {
            values[field] = String(decoding: value, as: UTF8.self)
        } else if Self.single.contains(field) {
            object(to: "expected one field \(field), found another one")
        }
    }

    /// Checks the fields together; called after the last one.
    mutating func finish() {
        if let length = values["content-length"],
            length.isEmpty || length.utf8.count > 18 || !length.utf8.allSatisfy({ (48...57).contains($0) })
        {
            object(to: "expected a number of bytes as content-length, found something else")
        }
        guard let coding = values["transfer-encoding"] else { return }
        if values["content-length"] != nil {
            object(to: "expected content-length or transfer-encoding, found both")
        } else if coding.lowercased() != "chunked" {
            object(to: "expected chunked as transfer-encoding, found something else")
        }
    }

    /// Records a mistake; the first one counts.
    mutating func object(to objection: String) { self.objection = self.objection ?? objection }

    /// Returns whether a byte may be part of a field name or a method, by RFC 9110.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
