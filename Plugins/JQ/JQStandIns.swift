// SPDX-License-Identifier: Apache-2.0

internal import CJQ
import GatehouseSDK

/// The texts that programs see in place of numbers that jq would round, for one input.
///
/// Such a number is a text of its digits. If a program passes it on unchanged, libjq passes on the very same text, not a copy;
/// that identity turns it into the number again. A text that a program makes of it, as by `"\(.id)"`, is a text.
///
/// Unsafe because libjq counts references by hand; this type holds one to each text, and frees them.
@safe final class JQStandIns {
    /// The texts with their numbers, by the digits.
    private var all: [String: (text: jv, number: Value)] = unsafe [:]

    /// Creates no texts.
    init() {}

    deinit { unsafe all.values.forEach { unsafe jv_free($0.text) } }

    /// Returns the text for a number; the caller owns it.
    func text(of number: Value) -> jv {
        let digits = number.json()
        if let known = unsafe all[digits] { return unsafe jv_copy(known.text) }
        let text = unsafe JQValue.make(digits)
        unsafe all[digits] = unsafe (jv_copy(text), number)
        return unsafe text
    }

    /// Returns the number of a text of libjq, without taking ownership; nil for an ordinary text.
    func number(behind value: jv, _ text: String) -> Value? {
        guard let known = unsafe all[text],
            unsafe jv_identical(jv_copy(value), jv_copy(known.text)) != 0
        else { return nil }
        return unsafe known.number
    }
}
