// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// A list of libraries and keys that its signer has withdrawn, each with the reason.
///
/// As JSON, `{ "revoked": [{ "sha256": "…", "reason": "…" }, { "key": "…", "reason": "…" }] }`; a later list of the same key, which
/// has a higher serial, takes the place of an earlier one.
package struct Revocations: Equatable, Sendable {
    /// What is withdrawn.
    package enum Subject: Hashable, Sendable {
        /// A library, or what one brings along, by the SHA-256 of its bytes in hexadecimal.
        case digest(String)
        /// All that a key has signed.
        case key(MinisignKey.ID)
    }

    /// The order of the signer's lists.
    package let serial: Int
    /// Why each is withdrawn.
    package let reasons: [Subject: String]

    /// A list.
    init(serial: Int, reasons: [Subject: String]) {
        self.serial = serial
        self.reasons = reasons
    }

    /// What the name of a list in the plugin folder ends with.
    package static let suffix = ".revoked"
    /// The most bytes of a list.
    static let limit = 16 << 20

    /// Reads a list as JSON.
    ///
    /// - Throws: a sentence.
    package static func read(_ value: Value) throws(CodingFailure) -> [Subject: String] {
        guard let members = value.objectValue, members.count == 1, case .array(let entries) = value["revoked"]
        else {
            throw CodingFailure(
                pointer: .whole, expected: "an object with the one member \"revoked\", an array",
                found: found(value))
        }
        var reasons: [Subject: String] = [:]
        for (index, entry) in entries.enumerated() {
            let subject =
                entry["sha256"]?.stringValue.flatMap(Subject.init(digest:))
                ?? entry["key"]?.stringValue.flatMap { MinisignKey.ID($0) }.map(Subject.key)
            guard let subject, let reason = entry["reason"]?.stringValue, entry.objectValue?.count == 2 else {
                throw CodingFailure(
                    pointer: JSONPointer(tokens: ["revoked", "\(index)"]),
                    expected:
                        "\"reason\" with either \"sha256\", 64 hexadecimal digits, or \"key\", the 16 digits of a key",
                    found: entry.json())
            }
            reasons[subject] = reason
        }
        return reasons
    }

    /// What a value is that is no list, as a sentence says it.
    private static func found(_ value: Value) -> String {
        guard let members = value.objectValue else { return value.kindName }
        return members.isEmpty ? "an empty object" : "one with \(Quotation.list(of: members.map(\.key)))"
    }

    /// The list as JSON, in a fixed order.
    var value: Value {
        let entries = reasons.map { subject, reason -> (String, Value) in
            switch subject {
            case .digest(let digest): (digest, ["sha256": .string(digest), "reason": .string(reason)])
            case .key(let id): (id.description, ["key": .string(id.description), "reason": .string(reason)])
            }
        }
        return ["revoked": .array(entries.sorted { $0.0 < $1.0 }.map(\.1))]
    }
}

extension Revocations.Subject {
    /// A digest in any case; nil for anything else.
    fileprivate init?(digest text: String) {
        guard text.utf8.count == 64, text.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit) else {
            return nil
        }
        self = .digest(text.lowercased())
    }
}
