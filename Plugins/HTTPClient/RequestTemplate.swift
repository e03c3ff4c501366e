// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A text with holes in braces, to be filled for each request.
struct RequestTemplate: Sendable {
    /// A hole, or the text between two.
    enum Part: Sendable {
        /// Literal text.
        case text(String)
        /// A part of the payload.
        case payload(JSONPointer)
        /// A secret by its name.
        case secret(String)
    }

    /// The text as written.
    let text: String
    /// Its parts, in order.
    let parts: [Part]

    /// Reads a template; nil when a brace has no partner, or the text between two is no hole.
    init?(_ text: String) {
        self.text = text
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { return nil }
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            let hole = String(rest[rest.index(after: open)..<close])
            if hole.isEmpty || hole.hasPrefix("/") {
                guard !hole.contains("{"), let pointer = try? JSONPointer(hole) else { return nil }
                parts.append(.payload(pointer))
            } else {
                guard HeaderTemplate.isSecretName(hole) else { return nil }
                parts.append(.secret(hole))
            }
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// Fills the holes.
    ///
    /// - Parameters:
    ///   - what: the name of the template, for the message about an empty hole.
    ///   - encode: encodes a text from the payload, given the filled text before it; returns nil if it cannot stand there.
    /// - Throws: why it cannot be filled.
    func filled(
        _ what: String, from payload: Value?, secrets: [String: String],
        encode: (_ text: String, _ before: String) -> String?
    ) throws(RequestRefusal) -> String {
        var filled = ""
        for part in parts {
            switch part {
            case .text(let text): filled += text
            case .secret(let name): filled += secrets[name] ?? ""
            case .payload(let pointer):
                let found = payload?[pointer]
                let text: String? =
                    switch found {
                    case .string(let text)?: text
                    case .integer?, .unsigned?, .double?, .bigNumber?, .bool?: found?.json()
                    default: nil
                    }
                guard let encoded = text.flatMap({ encode($0, filled) }) else {
                    throw RequestRefusal(
                        reason: .payload,
                        message:
                            "\(what) needs a text or a number at \(pointer.tokens.isEmpty ? "the whole payload" : pointer.description) that can stand there, found \(found?.quoted ?? "nothing")"
                    )
                }
                filled += encoded
            }
        }
        return filled
    }
}

/// Why a request cannot be made.
struct RequestRefusal: Error {
    /// The reason, for programs.
    let reason: HTTPClient.Reason
    /// One sentence for the operator.
    let message: String
}
