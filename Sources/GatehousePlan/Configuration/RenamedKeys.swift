// SPDX-License-Identifier: Apache-2.0

/// Keys that earlier versions knew, and where what they said is said today.
enum RenamedKeys {
    /// What is said elsewhere, by the key it had.
    private static let places: [String: (key: String, place: String)] = [
        "maximumChain": ("limits", "\"limits\"/\"chain\"")
    ]

    /// The place of what a key said, if the object in hand has it.
    static func place(of key: String, among known: [String]) -> String? {
        places[key].flatMap { known.contains($0.key) ? $0.place : nil }
    }
}
