// SPDX-License-Identifier: Apache-2.0

internal import CJQ
import GatehouseSDK

/// The texts that programs see in the place of numbers that jq would round, for one input.
///
/// Such a number is a text of its digits. Where a program hands it on as it is, libjq hands on the very same text and makes no
/// other one, by which it is known and becomes the number again. A text that a program makes of it, as by `"\(.id)"`, is a text.
///
/// Unsafe because libjq counts references by hand; this type holds one to each text, and frees them.
@safe final class JQStandIns {
    /// The texts with their numbers, by the digits.
    private var all: [String: (text: jv, number: Value)] = unsafe [:]

    /// None.
    init() {}

    deinit { unsafe all.values.forEach { unsafe jv_free($0.text) } }

    /// The text that stands for a number; the caller owns it.
    func text(of number: Value) -> jv {
        let digits = number.json()
        if let known = unsafe all[digits] { return unsafe jv_copy(known.text) }
        let text = unsafe JQValue.make(digits)
        unsafe all[digits] = unsafe (jv_copy(text), number)
        return unsafe text
    }

    /// The number that a text of libjq stands for, which its owner goes on owning; nil for a text that is nothing else.
    func number(behind value: jv, _ text: String) -> Value? {
        guard let known = unsafe all[text],
            unsafe jv_identical(jv_copy(value), jv_copy(known.text)) != 0
        else { return nil }
        return unsafe known.number
    }
}
