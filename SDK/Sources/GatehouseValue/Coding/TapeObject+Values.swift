// SPDX-License-Identifier: Apache-2.0

/// Members of common types, decoded in place; `decodeIfPresent` returns nil for absent and null ones.
extension TapeObject {
    /// Returns the `Bool` member; throws when absent or of another kind.
    func decode(_ type: Bool.Type, _ name: String) throws -> Bool {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    /// Returns the `Bool` member, or nil.
    func decodeIfPresent(_ type: Bool.Type, _ name: String) throws -> Bool? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }

    /// Returns the `String` member; throws when absent or of another kind.
    func decode(_ type: String.Type, _ name: String) throws -> String {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    /// Returns the `String` member, or nil.
    func decodeIfPresent(_ type: String.Type, _ name: String) throws -> String? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }

    /// Returns the `Double` member; throws when absent or of another kind.
    func decode(_ type: Double.Type, _ name: String) throws -> Double {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    /// Returns the `Double` member, or nil.
    func decodeIfPresent(_ type: Double.Type, _ name: String) throws -> Double? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }

    /// Returns the `Float` member; throws when absent or of another kind.
    func decode(_ type: Float.Type, _ name: String) throws -> Float {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    /// Returns the `Float` member, or nil.
    func decodeIfPresent(_ type: Float.Type, _ name: String) throws -> Float? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }

    /// Returns the `Int` member; throws when absent or of another kind.
    func decode(_ type: Int.Type, _ name: String) throws -> Int {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    /// Returns the `Int` member, or nil.
    func decodeIfPresent(_ type: Int.Type, _ name: String) throws -> Int? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }
}
