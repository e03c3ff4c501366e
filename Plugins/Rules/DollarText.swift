// SPDX-License-Identifier: Apache-2.0

/// The spelling of dollars in a template's text: one more than meant, at the beginning and before a slash.
enum DollarText {
    /// The sign that begins a hole.
    static let dollar = UInt8(ascii: "$")

    /// Returns the text meant by a spelling; nil where a single dollar at the beginning or before a slash shows that a hole
    /// was meant.
    static func constant(_ written: String) -> String? {
        changed(written) { count in count == 1 ? nil : count - 1 }
    }

    /// Returns the spelling of a text.
    static func written(_ text: String) -> String { changed(text) { $0 + 1 } ?? text }

    /// Changes the counts of dollars at the beginning and before slashes; nil where a count becomes nil.
    private static func changed(_ text: String, _ change: (Int) -> Int?) -> String? {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == dollar else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let end = bytes[index...].firstIndex { $0 != dollar } ?? bytes.count
            let isCounted = index == 0 || (end < bytes.count && bytes[end] == UInt8(ascii: "/"))
            guard let count = isCounted ? change(end - index) : end - index else { return nil }
            result += Array(repeating: dollar, count: count)
            index = end
        }
        return String(decoding: result, as: UTF8.self)
    }
}
