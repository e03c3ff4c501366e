// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A text with holes in braces, which are filled for each request.
struct RequestTemplate: Sendable {
    /// What stands between the holes, and in them.
    enum Part: Sendable {
        /// Text that is taken as it is.
        case text(String)
        /// A part of the payload.
        case payload(JSONPointer)
        /// A secret by its name.
        case secret(String)
    }

    /// The text as it was written.
    let text: String
    /// Its parts, in order.
    let parts: [Part]

    /// Reads a template; nil when a brace has no partner, or what is between the two is no hole.
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
    ///   - what: the name of what is filled, for the message of a hole that stays empty.
    ///   - encode: what becomes of a text from the payload behind what is filled before it; nil when it cannot stand there.
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
