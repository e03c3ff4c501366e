// SPDX-License-Identifier: Apache-2.0

/// Why a program gave nothing for an action, or could not be compiled.
struct JQFailure: Error, Equatable {
    /// The mistake, as a part of a sentence.
    let words: String
}
