// SPDX-License-Identifier: Apache-2.0

extension BinaryInteger {
    /// The number with a comma before each group of three digits.
    package var grouped: String {
        let digits = Array(String(self))
        return digits.indices.reduce(into: "") { text, index in
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digits[index])
        }
    }
}
