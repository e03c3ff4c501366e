// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// Where an entry and everything in it stands in the file, so that later checks can point at the text.
///
/// Two places are always equal: an entry that only moved is the same entry, and a reload leaves it running.
public struct ConfigurationPlace: Equatable, Sendable {
    /// The file's name as messages show it.
    public let file: String
    /// The entry's own pointer in the file, such as `/plugins/2`.
    public let pointer: JSONPointer
    /// The entry as read, with the position of each part.
    private let entry: LocatedValue

    /// The place of a value that was read from a file.
    init(of entry: LocatedValue, at pointer: JSONPointer, in file: String) {
        self.file = file
        self.pointer = pointer
        self.entry = entry
    }

    /// The position of a part, by its pointer inside the entry; of a part that is not written, the nearest
    /// ancestor's.
    public func position(of part: JSONPointer) -> TextPosition {
        var value = entry
        for token in part.tokens {
            guard let next = Self.child(of: value, token: token) else { break }
            value = next
        }
        return value.position
    }

    /// The position of the key of a part; of an element of an array, and of a part that is not written, as `position`.
    public func keyPosition(of part: JSONPointer) -> TextPosition {
        var value = entry
        var position = entry.position
        for token in part.tokens {
            guard let next = Self.child(of: value, token: token) else { return value.position }
            position = next.position
            if case .object(let members) = value.content,
                let member = members.first(where: { $0.key == token })
            {
                position = member.keyPosition
            }
            value = next
        }
        return position
    }

    /// A problem with a part of the entry, or with its key, found after parsing, such as a setting that the plugin
    /// refuses.
    public func problem(
        at part: JSONPointer, isKey: Bool = false, severity: ConfigurationProblem.Severity = .error,
        _ reason: ConfigurationProblem.Reason
    ) -> ConfigurationProblem {
        ConfigurationProblem(
            file: file, position: isKey ? keyPosition(of: part) : position(of: part),
            pointer: JSONPointer(tokens: pointer.tokens + part.tokens), severity: severity, reason: reason)
    }

    public static func == (_: ConfigurationPlace, _: ConfigurationPlace) -> Bool { true }

    /// The member or element that a token names, or nil if there is none.
    private static func child(of value: LocatedValue, token: String) -> LocatedValue? {
        switch value.content {
        case .object(let members):
            return members.first { $0.key == token }?.value
        case .array(let elements):
            guard let index = Int(token), elements.indices.contains(index) else { return nil }
            return elements[index]
        default:
            return nil
        }
    }
}
