// SPDX-License-Identifier: Apache-2.0

/// Members of the usual types, decoded where they lie; `decodeIfPresent` makes nil of absent and null ones.
extension TapeObject {
    func decode(_ type: Bool.Type, _ name: String) throws -> Bool {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    func decodeIfPresent(_ type: Bool.Type, _ name: String) throws -> Bool? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }

    func decode(_ type: String.Type, _ name: String) throws -> String {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    func decodeIfPresent(_ type: String.Type, _ name: String) throws -> String? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }

    func decode(_ type: Double.Type, _ name: String) throws -> Double {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    func decodeIfPresent(_ type: Double.Type, _ name: String) throws -> Double? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }

    func decode(_ type: Float.Type, _ name: String) throws -> Float {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    func decodeIfPresent(_ type: Float.Type, _ name: String) throws -> Float? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }

    func decode(_ type: Int.Type, _ name: String) throws -> Int {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    func decodeIfPresent(_ type: Int.Type, _ name: String) throws -> Int? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }
}
