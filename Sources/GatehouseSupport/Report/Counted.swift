// SPDX-License-Identifier: Apache-2.0

/// Formats numbers with their nouns.
package enum Counted {
    /// `1 line`, `2 lines`, `3 libraries`.
    package static func text(_ number: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
        "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
    }
}
