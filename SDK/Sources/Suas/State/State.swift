// SPDX-License-Identifier: Apache-2.0

/// The name of one entry of the state.
public typealias StateKey = String

/// All entries of the state by their names.
public typealias KeyedState = [StateKey: any Sendable]

/// The state of a store at one moment: entries of any type by name.
public struct State: Sendable {
    /// The entries of the state by their keys.
    var entries: KeyedState

    /// Creates a state with these entries.
    public init(dictionary: KeyedState = [:]) { entries = dictionary }

    /// Returns the key of an entry named after its type: the type's name without its module and enclosing types.
    public static func key<Value>(of type: Value.Type) -> StateKey { "\(type)" }

    /// The entry, or nil if there is none; setting nil removes it.
    ///
    /// A store's own state changes only by its reducers and resets.
    public subscript(key: StateKey) -> (any Sendable)? {
        get { entries[key] }
        set { entries[key] = newValue }
    }

    /// The entry named after its type, or nil if there is none or it has another type.
    public subscript<Value>(forKeyOfType type: Value.Type) -> Value? { value(forKeyOfType: type) }

    /// The entry, or nil if there is none or it has another type.
    public subscript<Value>(forKey key: StateKey, ofType type: Value.Type) -> Value? {
        value(forKey: key, ofType: type)
    }

    /// Returns the entry, or nil if there is none.
    public func value(forKey key: StateKey) -> (any Sendable)? { entries[key] }

    /// Returns the entry named after its type, or nil if there is none or it has another type.
    public func value<Value>(forKeyOfType type: Value.Type) -> Value? {
        value(forKey: State.key(of: type), ofType: type)
    }

    /// Returns the entry, or nil if there is none or it has another type.
    public func value<Value>(forKey key: StateKey, ofType type: Value.Type) -> Value? {
        entries[key] as? Value
    }

    /// The names of all entries, sorted.
    public var keys: [StateKey] { entries.keys.sorted() }
}

extension State: ExpressibleByDictionaryLiteral {
    /// Creates a state with these entries; for duplicate keys the last one counts.
    public init(dictionaryLiteral elements: (StateKey, any Sendable)...) {
        entries = KeyedState(elements) { _, last in last }
    }
}

extension State: CustomStringConvertible {
    /// The entries by name, such as `Int: 3, name: Ada`.
    public var description: String {
        keys.map { key in "\(key): \(entries[key].map { "\($0)" } ?? "")" }.joined(separator: ", ")
    }
}
