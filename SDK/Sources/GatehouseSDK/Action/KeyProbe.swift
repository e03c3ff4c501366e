// SPDX-License-Identifier: Apache-2.0

/// Asks a type which names are keys of its `init(from:)`.
///
/// Runs the beginning of it; decodes nothing, and searches for no conformance.
struct KeyProbe: Decoder {
    /// The answer, given by the container that the type asks for first.
    enum Answer: Error {
        /// The type has keys; these names are none of them.
        case unknown([String])
        /// The type asks for nothing, like one without stored properties.
        case nothing
        /// The type does not decode by keys, or refuses.
        case other
    }

    /// The names to try as keys.
    private let names: [String]

    /// Asks a type about names.
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
