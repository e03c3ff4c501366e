// SPDX-License-Identifier: Apache-2.0

/// The place of each value of a large object on its tape, by name.
///
/// A class, because containers are copied for each call and mostly have none: copying nil is then free.
final class TapePlaces {
    /// The table; the last of repeated names counts.
    private let places: [ExactText: Int]

    /// The largest number of members to search by walking: above it the table pays even for a type with a
    /// handful of keys, and below it never.
    static var walkLimit: Int { 64 }

    /// Walks all members once.
    init(_ view: TapeView) {
        var table: [ExactText: Int] = Dictionary(minimumCapacity: view.count)
        for (name, value) in view.members { table[ExactText(name.storedText)] = value.index }
        places = table
    }

    /// The first word of the named value.
    subscript(name: String) -> Int? { places[ExactText(name)] }
}
