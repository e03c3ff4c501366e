// SPDX-License-Identifier: Apache-2.0

/// Which names an action type knows, asked through the keys its synthesized `init(from:)` uses.
@usableFromInline
enum CaseNames {
    /// The names that are no case of the action type; empty when the type does not decode as an enum does.
    ///
    /// Runs the beginning of the type's `init(from:)`; nothing is decoded.
    @usableFromInline
    static func unknown(in names: [String], for type: (some PluginAction).Type) -> [String] {
        if type == AnyAction.self { return [] }
        do {
            _ = try type.init(from: Probe(names: names))
        } catch let answer as Answer {
            return answer.unknown
        } catch {
            return []
        }
        return []
    }

    /// Carries the answer out of `init(from:)`.
    private struct Answer: Error {
        /// Those of the names that the key type does not know.
        let unknown: [String]
    }

    /// Answers as soon as the key type is known.
    private struct Probe: Decoder {
        /// The names to ask the key type for.
        let names: [String]
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            throw Answer(unknown: names.filter { Key(stringValue: $0) == nil })
        }

        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Answer(unknown: []) }
        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Answer(unknown: []) }
    }
}
