// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in seconds, for people: `10 s`, `0.5 s`.
    package var inSeconds: String {
        let number = self / .seconds(1)
        return (number == number.rounded() ? "\(Int(number))" : "\(number)") + " s"
    }
}
