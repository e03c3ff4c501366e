// SPDX-License-Identifier: Apache-2.0

extension JSONPointer: Codable {
    /// Reads the pointer from a string.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw CodingFailure(
                at: decoder.codingPath, expected: "a JSON Pointer such as \"/orders/0\"",
                found: Value.string(text).json())
        }
    }

    /// Writes the pointer as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
