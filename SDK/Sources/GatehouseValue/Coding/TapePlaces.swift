// SPDX-License-Identifier: Apache-2.0

/// Where each value of a large object starts on its tape, by name.
///
/// A class, because containers are copied for each call and mostly have none: copying nil is then free.
final class TapePlaces {
    /// The table; of repeated names the last counts.
    private let places: [ExactText: Int]

    /// The largest number of members that is searched by walking: above it the table pays also for a type with
    /// a handful of keys, and below it never.
    static var walkLimit: Int { 64 }

    /// Walks over all members once.
    init(_ view: TapeView) {
        var table: [ExactText: Int] = Dictionary(minimumCapacity: view.count)
        for (name, value) in view.members { table[ExactText(name.storedText)] = value.index }
        places = table
    }

    /// The first word of the named value.
    subscript(name: String) -> Int? { places[ExactText(name)] }
}
