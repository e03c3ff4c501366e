// SPDX-License-Identifier: Apache-2.0

/// Asks a type which names are keys of its `init(from:)`.
///
/// Runs the beginning of it; nothing is decoded, and no conformance is searched for.
struct KeyProbe: Decoder {
    /// What the type said by the container that it asked for first.
    enum Answer: Error {
        /// It has keys; those of the names that are none of them.
        case unknown([String])
        /// It asks for nothing, as a type without stored properties.
        case nothing
        /// It does not decode by keys, or refuses.
        case other
    }

    /// The names to ask the key type for.
    private let names: [String]

    /// The answer of a type.
    static func answer(of type: (some Decodable).Type, to names: [String]) -> Answer {
        do {
            _ = try type.init(from: KeyProbe(names: names))
            return .nothing
        } catch let answer as Answer {
            return answer
        } catch {
            return .other
        }
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw Answer.unknown(names.filter { Key(stringValue: $0) == nil })
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Answer.other }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Answer.other }
}
