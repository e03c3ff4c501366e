// SPDX-License-Identifier: Apache-2.0

private import CSwiftRuntime
private import Glibc

/// Converts mangled names for people.
package enum SwiftName {
    /// The maximum length that is shown, in Unicode scalars.
    private static let limit = 200

    /// The readable form, cut when long; a name that is not Swift's is unchanged.
    package static func readable(_ mangled: String) -> String {
        var name = mangled
        let readable = name.withUTF8 { bytes -> String? in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                guard let start = bytes.baseAddress,
                    let text = unsafe swift_demangle(start, bytes.count, nil, nil, 0)
                else { return nil }
                defer { unsafe free(text) }
                return unsafe String(cString: text)
            }
        }
        let text = readable ?? mangled
        guard text.unicodeScalars.count > limit else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))) + "…"
    }
}
