// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// Where an entry and everything in it stands in the file, so that later checks can point at the text.
public struct ConfigurationPlace: Sendable {
    /// The file's name as messages show it.
    public let file: String
    /// The entry's own pointer in the file, such as `/plugins/2`.
    public let pointer: JSONPointer
    /// The entry as read, with the position of each part.
    private let entry: LocatedValue

    /// The place of a value that was read from a file.
    init(of entry: LocatedNode) {
        file = entry.log.file
        pointer = entry.path.pointer
        self.entry = entry.value
    }

    /// The position of a part, by its pointer inside the entry; of a part that is not written, the nearest
    /// ancestor's.
    public func position(of part: JSONPointer) -> TextPosition { find(part).value }

    /// The position of the key of a part; of an element of an array, and of a part that is not written, as `position`.
    public func keyPosition(of part: JSONPointer) -> TextPosition { find(part).key }

    /// What there is to say about a part of the entry, or about its key, after parsing, such as a setting that the plugin
    /// refuses; `part` are the tokens of its pointer inside the entry.
    func finding(
        _ severity: Finding.Severity = .error, at part: [String], isKey: Bool = false, _ sentence: String
    ) -> Finding {
        let inside = find(JSONPointer(tokens: part))
        return Finding(
            severity,
            at: Finding.Place(
                file: file, position: isKey ? inside.key : inside.value,
                pointer: JSONPointer(tokens: pointer.tokens + part)), sentence)
    }

    /// Where a part and its key begin; both the nearest ancestor's for a part that is not written.
    private func find(_ part: JSONPointer) -> (value: TextPosition, key: TextPosition) {
        var value = entry
        var key = entry.position
        for token in part.tokens {
            switch value.content {
            case .object(let members):
                guard let member = members.first(where: { $0.key == token }) else {
                    return (value.position, value.position)
                }
                value = member.value
                key = member.keyPosition
            case .array(let elements):
                guard let index = Int(token), elements.indices.contains(index) else {
                    return (value.position, value.position)
                }
                value = elements[index]
                key = value.position
            default: return (value.position, value.position)
            }
        }
        return (value.position, key)
    }
}

/// A property that never makes two values differ.
///
/// An entry that only moved in its file is the same entry, and a reload leaves it running.
@propertyWrapper
public struct Incidental<Wrapped: Sendable>: Equatable, Sendable {
    /// The property's value.
    public var wrappedValue: Wrapped

    /// Takes the property's first value.
    public init(wrappedValue: Wrapped) { self.wrappedValue = wrappedValue }

    /// Always true.
    public static func == (_: Incidental, _: Incidental) -> Bool { true }
}
