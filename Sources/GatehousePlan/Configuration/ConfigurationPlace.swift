// SPDX-License-Identifier: Apache-2.0

package import GatehouseSupport
package import GatehouseValue

/// Where an entry and everything in it stands in the file, so that later checks can point at the text.
///
/// An object, so that an entry without a place has no room for one.
package final class ConfigurationPlace: Sendable {
    /// The file's name as messages show it.
    package let file: String
    /// The entry's own pointer in the file, such as `/plugins/2`.
    package let pointer: JSONPointer
    /// The entry as read, with the position of each part.
    private let entry: LocatedValue

    /// The place of a value that was read from a file.
    package init(of entry: LocatedNode) {
        file = entry.log.file
        pointer = entry.path.pointer
        self.entry = entry.value
    }

    /// The value as it is written.
    package var value: Value { entry.value }

    /// The position of a part, by its pointer inside the entry; of a part that is not written, the nearest
    /// ancestor's.
    package func position(of part: JSONPointer) -> TextPosition { entry.nearest(to: part).part.position }

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

extension ConfigurationPlace? {
    /// What there is to say about a part; nil, as of an entry that was not read from a file, has no place to show.
    func diagnostic(
        _ severity: Diagnostic.Severity = .error, at part: [String], _ sentence: String
    ) -> Diagnostic {
        self?.diagnostic(severity, at: part, sentence) ?? Diagnostic(severity, sentence)
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
