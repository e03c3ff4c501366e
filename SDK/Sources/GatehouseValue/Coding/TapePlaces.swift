// SPDX-License-Identifier: Apache-2.0

/// Where each value of a large object starts on its tape, by name.
@usableFromInline
struct TapePlaces {
    /// The table; of repeated names the last counts.
    private var places: [ExactText: Int]

    /// The largest number of members that is searched by walking: above it the table pays also for a type with
    /// a handful of keys, and below it never.
    @usableFromInline static var walkLimit: Int { 64 }

    /// Walks over all members once.
    @usableFromInline
    init(_ view: TapeView) {
        places = Dictionary(minimumCapacity: view.count)
        for (name, value) in view.members { places[ExactText(name.storedText)] = value.index }
    }

    /// The first word of the named value.
    @usableFromInline
    subscript(name: String) -> Int? { places[ExactText(name)] }
}
