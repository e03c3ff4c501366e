// SPDX-License-Identifier: Apache-2.0

/// Makes the payload of an enum case without Codable's containers.
///
/// For generated code; payloads and errors are those of `Value.encodeCase(_:)`. Plain values are used as they are, all others
/// encode themselves.
@frozen
public struct CaseWriter {
    /// The name of the case; pointers in errors begin with it.
    @usableFromInline let name: String
    /// The values so far.
    @usableFromInline var members = Members()

    /// Starts a case without values.
    @inlinable
    public init(_ name: String) { self.name = name }

    /// The payload of labelled values; nil when there are none or all are nil.
    @inlinable
    public var payload: Value? { members.isEmpty ? nil : .object(members) }

    /// Adds a value under its label.
    @inlinable
    public mutating func add(_ value: some PlainValue, _ label: String) throws {
        if value.isAbsent { return }
        members[label] = try value.plain ?? encode(value, label)
    }

    /// Adds a value under its label, by its own `encode(to:)`.
    @_disfavoredOverload
    @inlinable
    public mutating func add(_ value: some Encodable, _ label: String) throws {
        members[label] = try encode(value, label)
    }

    /// Adds a value under its label, unless it is nil.
    @_disfavoredOverload
    @inlinable
    public mutating func add(_ value: (some Encodable)?, _ label: String) throws {
        if let value { members[label] = try encode(value, label) }
    }

    /// Returns the payload of one value without label: the value itself, nil for nil.
    @inlinable
    public func whole(_ value: some PlainValue) throws -> Value? {
        // A bare nil would be the value null.
        value.isAbsent ? Value?.none : try value.plain ?? encode(value, "_0")
    }

    /// Encodes the payload of one value without label by its own `encode(to:)`.
    @_disfavoredOverload
    @inlinable
    public func whole(_ value: some Encodable) throws -> Value? { try encode(value, "_0") }

    /// Encodes the payload of one value without label, nil for nil.
    @_disfavoredOverload
    @inlinable
    public func whole(_ value: (some Encodable)?) throws -> Value? { try value.map { try encode($0, "_0") } }

    /// Encodes a value at its place inside the case.
    @usableFromInline
    func encode(_ value: some Encodable, _ label: String) throws -> Value {
        let place = EncodingPath.whole.appending(CodingStep(stringValue: name))
        return try EncodingNode(path: place).encode(value, at: CodingStep(stringValue: label))
    }
}
