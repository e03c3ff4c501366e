// SPDX-License-Identifier: Apache-2.0

extension Value: Codable {
    /// Decodes from any format; from a tape directly, otherwise kind by kind.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? TapeDecoder {
            self = decoder.view.value
            return
        }
        if let container = try? decoder.container(keyedBy: CodingStep.self) {
            var members = Members()
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(Value.self, forKey: key)
            }
            self = .object(members)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [Value] = []
            while !container.isAtEnd { elements.append(try container.decode(Value.self)) }
            self = .array(elements)
            return
        }
        self = try Value(scalar: try decoder.singleValueContainer())
    }

    /// Decodes null, a boolean, a number or a string.
    ///
    /// A decoder cannot report its value's kind: trying is the protocol's way, hence the discarded errors.
    private init(scalar container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// Encodes into any format; a big number only into `Value`, since no other encoder can hold it.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ValueEncoder {
            encoder.node.set(self)
            return
        }
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: CodingStep.self)
            for (key, value) in members { try container.encode(value, forKey: CodingStep(stringValue: key)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .integer(let value): try value.encode(to: encoder)
        case .unsigned(let value): try value.encode(to: encoder)
        case .double(let value): try value.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        case .bigNumber(let text):
            let path = encoder.codingPath
            let failure = CodingFailure(
                pointer: JSONPointer(path), expected: "a number within 64 bits or Double", found: text)
            throw EncodingError.invalidValue(
                self, .init(codingPath: path, debugDescription: failure.description, underlyingError: failure)
            )
        }
    }
}
