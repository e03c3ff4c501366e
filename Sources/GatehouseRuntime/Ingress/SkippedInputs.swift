// SPDX-License-Identifier: Apache-2.0

/// Inputs that ended the host too often and are not processed any more, each with the reason.
package struct SkippedInputs {
    /// Reasons by the places of lines, as `file:line`.
    package var places: [String: String]
    /// Reasons by the inputs' numbers in the journal.
    package var numbers: [UInt64: String]

    /// Creates the set of a crash ledger; empty by default.
    package init(places: [String: String] = [:], numbers: [UInt64: String] = [:]) {
        self.places = places
        self.numbers = numbers
    }
}
