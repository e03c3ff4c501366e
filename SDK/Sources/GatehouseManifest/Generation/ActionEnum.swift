// SPDX-License-Identifier: Apache-2.0

/// The enum of a plugin's actions, as the author wrote it.
struct ActionEnum {
    /// One case of the enum with its associated values.
    struct Case {
        /// The name, without backticks.
        let name: String
        /// The labels of its values in order, nil for none.
        let labels: [String?]

        /// The keys under which `Codable` keeps the values: labels, or `_` and the position.
        var keys: [String] { labels.enumerated().map { $1 ?? "_\($0)" } }
    }

    /// Why an enum is left to `Codable`.
    struct Refusal: Error {
        /// A clause that names the enum.
        let reason: String
    }

    /// How other files of the module name it, from the outside inwards.
    let path: [String]
    /// Whether other modules see it.
    let isPublic: Bool
    /// Its cases in order.
    let cases: [Case]

    /// Finds and reads the enum of a plugin; nil for a plugin whose actions are `AnyAction`.
    ///
    /// Whatever might make the compiler see something else than this does is refused.
    ///
    /// - Parameters:
    ///   - principal: the type that is the plugin, as the manifest names it.
    ///   - module: everything that its target declares.
    static func find(in principal: String, module: ModuleDeclarations) throws(Refusal) -> ActionEnum? {
        guard let declaration = try module.actions(of: principal.split(separator: ".").map(String.init))
        else {
            return nil
        }
        guard declaration.keyword == "enum" else {
            throw Refusal(reason: "\(declaration.path.joined(separator: ".")) is no enum")
        }
        let cases = try ActionCaseReader.cases(of: declaration)
        try module.check(declaration, cases)
        return ActionEnum(path: declaration.path, isPublic: module.isPublic(declaration), cases: cases)
    }
}
