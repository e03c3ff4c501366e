// SPDX-License-Identifier: Apache-2.0

/// Why a program gave nothing for an action, or could not be compiled.
struct JQFailure: Error, Equatable {
    /// The mistake, as a part of a sentence.
    let words: String

    /// Creates a failure for a number that is not exact in jq.
    static func rounded(_ number: String, at place: String) -> JQFailure {
        JQFailure(
            words:
                "jq would round \(number) at \(place), because whole numbers are exact up to \(JQValue.largestInteger) there; hand it on as a text"
        )
    }
}
