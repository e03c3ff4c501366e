// SPDX-License-Identifier: Apache-2.0

/// What operators call a host: at most 64 small letters, digits, dots, underscores and dashes, because a file is called so.
package enum HostName {
    /// A text as a name: with dashes for what may not stand there.
    package static func cleaned(_ text: String) -> String {
        let allowed = text.lowercased().unicodeScalars.map { scalar in
            isAllowed(scalar) ? Character(scalar) : "-"
        }
        let name = String(allowed.drop { $0 == "-" || $0 == "." }.prefix(64))
        return name.isEmpty ? "gatehouse" : name
    }

    /// Whether a host may be called so.
    package static func isName(_ text: String) -> Bool { !text.isEmpty && cleaned(text) == text }

    /// Whether a character may stand in a name.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "0"..."9", "-", ".", "_": true
        default: false
        }
    }
}
