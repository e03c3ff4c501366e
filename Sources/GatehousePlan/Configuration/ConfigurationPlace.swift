// SPDX-License-Identifier: Apache-2.0

package import GatehouseSupport
package import GatehouseValue

/// Where an entry and everything in it stands in the file, so that later checks can point at the text.
package struct ConfigurationPlace: Sendable {
    /// What is known of an entry; an object, so that an entry without a place has no room for one.
    private final class Facts: Sendable {
        /// The file's name as messages show it.
        let file: String
        /// The entry's own pointer in the file.
        let pointer: JSONPointer
        /// The entry as read, with the position of each part.
        let entry: LocatedValue

        /// Facts about a value that was read from a file.
        init(of entry: LocatedNode) {
            file = entry.log.file
            pointer = entry.path.pointer
            self.entry = entry.value
        }
    }

    /// What is known of the entry.
    private let facts: Facts

    /// The place of a value that was read from a file.
    package init(of entry: LocatedNode) { facts = Facts(of: entry) }

    /// The file's name as messages show it.
    package var file: String { facts.file }

    /// The entry's own pointer in the file, such as `/plugins/2`.
    package var pointer: JSONPointer { facts.pointer }

    /// The entry as read, with the position of each part.
    private var entry: LocatedValue { facts.entry }

    /// The value as it is written.
    package var value: Value { entry.value }

    /// The position of a part, by its pointer inside the entry; of a part that is not written, the nearest
    /// ancestor's.
    package func position(of part: JSONPointer) -> TextPosition { entry.nearest(to: part).part.position }

    /// The position of the key of a part; of an element of an array, and of a part that is not written, as `position`.
    package func keyPosition(of part: JSONPointer) -> TextPosition { entry.nearest(to: part).keyPosition }

    /// What there is to say about a part of the entry, or about its key, after parsing, such as a setting that the plugin
    /// refuses; `part` are the tokens of its pointer inside the entry.
    package func diagnostic(
        _ severity: Diagnostic.Severity = .error, at part: [String], isKey: Bool = false, _ sentence: String
    ) -> Diagnostic {
        let inside = entry.nearest(to: JSONPointer(tokens: part))
        return Diagnostic(
            severity,
            at: Diagnostic.Place(
                file: file, position: isKey ? inside.keyPosition : inside.part.position,
                pointer: JSONPointer(tokens: pointer.tokens + part)), sentence)
    }
}

/// A property that never makes two values differ.
///
/// An entry that only moved in its file is the same entry, and a reload leaves it running.
@propertyWrapper
package struct Incidental<Wrapped: Sendable>: Equatable, Sendable {
    /// The value of the property, which comparisons leave out.
    package var wrappedValue: Wrapped

    /// Takes the property's first value.
    package init(wrappedValue: Wrapped) { self.wrappedValue = wrappedValue }

    /// True, so that the value does not count in a comparison.
    package static func == (_: Incidental, _: Incidental) -> Bool { true }
}
