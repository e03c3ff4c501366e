// SPDX-License-Identifier: Apache-2.0

/// The enum of a plugin's actions, as the author wrote it.
struct ActionEnum {
    /// One case of the enum with its associated values.
    struct Case {
        /// The name, without backticks.
        let name: String
        /// The labels of its values in order, nil for none.
        let labels: [String?]

        /// The keys of the values for `Codable`: labels, or `_` and the position.
        var keys: [String] { labels.enumerated().map { $1 ?? "_\($0)" } }
    }

    /// Why an enum is left to `Codable`.
    struct Refusal: Error {
        /// A clause that names the enum.
        let reason: String

        /// Says something about the enum at a path.
        init(_ path: [String], _ clause: String) { reason = "\(path.joined(separator: ".")) \(clause)" }
    }

    /// Its name in other files of the module, from the outside inwards.
    let path: [String]
    /// Whether other modules see it.
    let isPublic: Bool
    /// Its cases in order.
    let cases: [Case]

    /// Finds and reads the enum of a plugin; nil for a plugin whose actions are `AnyAction`.
    ///
    /// Refuses everything that the compiler might understand differently.
    ///
    /// - Parameters:
    ///   - principal: the plugin's type, as the manifest names it.
    ///   - module: all declarations of its target.
    static func find(in principal: String, module: ModuleDeclarations) throws(Refusal) -> ActionEnum? {
        guard let declaration = try module.actions(of: principal.split(separator: ".").map(String.init))
        else {
            return nil
        }
        guard declaration.keyword == "enum" else { throw Refusal(declaration.path, "is no enum") }
        let cases = try ActionCaseReader.cases(of: declaration)
        try module.check(declaration, cases)
        return ActionEnum(path: declaration.path, isPublic: module.isPublic(declaration), cases: cases)
    }
}
