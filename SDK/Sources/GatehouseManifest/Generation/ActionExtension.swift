// SPDX-License-Identifier: Apache-2.0

/// The Swift extension that reads and writes the actions of a plugin without Codable's containers.
///
/// It names no type of the author's, so that nothing has to be imported or found: the compiler takes the types of the values
/// from the cases. A type or payload that the cases do not explain goes to `Codable`, which knows the answer or the error.
struct ActionExtension {
    /// The enum to read and write.
    let actions: ActionEnum

    /// The generated text.
    var text: String {
        let types = actions.cases.map {
            "        let `\($0.name)`: GatehouseSDK.ActionType = \"\($0.name)\"\n"
        }
        let cases = actions.cases.map(Self.reading).joined()
        let readsValues = actions.cases.contains { !$0.labels.isEmpty }
        return """
            nonisolated extension \(actions.path.joined(separator: ".")) {
                /// The types of the cases.
                private struct GatehouseTypes: Swift.Sendable {
                    static let all = GatehouseTypes()
            \(types.joined())    }

                public init(type: GatehouseSDK.ActionType, payload: GatehouseSDK.TapeView?) throws {
                    let types = GatehouseTypes.all
            \(readsValues ? Self.readingValues(cases) : cases)\
                    try self.init(name: type.name, payload: payload)
                }

                public func encodedType() throws -> GatehouseSDK.ActionType {
                    let types = GatehouseTypes.all
            \(actions.cases.map { "        if case .\($0.name) = self { return types.`\($0.name)` }\n" }.joined())\
                    return GatehouseSDK.ActionType(try GatehouseSDK.Value.encodeCase(self).name)
                }

                public func encodedName() throws -> Swift.String { try encodedType().name }

                public func encoded() throws -> (name: Swift.String, payload: GatehouseSDK.Value?) {
            \(actions.cases.map(Self.writing).joined())        return try GatehouseSDK.Value.encodeCase(self)
                }
            }

            """
    }

    /// Returns the lines that read cases with values; `Codable` explains values that do not fit.
    private static func readingValues(_ cases: String) -> String {
        """
                do {
        \(cases)        } catch {
                    // What does not fit is read again by Codable, which has the words for it.
                }

        """
    }

    /// Returns the lines that read one case.
    private static func reading(_ one: ActionEnum.Case) -> String {
        let values = zip(one.labels, one.keys).map { label, key in
            (label.map { "\($0): " } ?? "")
                + (one.keys == ["_0"]
                    ? "try GatehouseSDK.CaseReader.whole(payload)"
                    : "try GatehouseSDK.CaseReader.value(\"\(key)\", of: payload)")
        }
        let arguments = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
        return """
                    if type == types.`\(one.name)` {
                        self = .\(one.name)\(arguments)
                        return
                    }

            """
    }

    /// Returns the lines that write one case.
    private static func writing(_ one: ActionEnum.Case) -> String {
        if one.keys.isEmpty {
            return "        if case .\(one.name) = self { return (\"\(one.name)\", nil) }\n"
        }
        let names = one.keys.indices.map { "value\($0)" }
        let body =
            one.keys == ["_0"]
            ? "            return (\"\(one.name)\", try GatehouseSDK.CaseWriter(\"\(one.name)\").whole(value0))\n"
            : """
                        var values = GatehouseSDK.CaseWriter("\(one.name)")
            \(zip(names, one.keys).map { "            try values.add(\($0), \"\($1)\")\n" }.joined())\
                        return ("\(one.name)", values.payload)

            """
        return """
                    if case .\(one.name)(\(names.map { "let \($0)" }.joined(separator: ", "))) = self {
            \(body)        }

            """
    }
}
