// SPDX-License-Identifier: Apache-2.0

@testable import GatehousePlan
@testable import GatehouseSupport

/// What the parser says about a text.
enum ConfigurationMessages {
    /// The messages about a whole file.
    static func of(_ text: String) -> [String] {
        ConfigurationParser.parse(Array(text.utf8), file: "plugins.json").diagnostics.all.map(\.description)
    }

    /// The messages about an entry with the id `a` and further members, which begin at line 1, column 26.
    static func ofEntry(_ members: String) -> [String] {
        of(#"{"plugins": [{"id": "a", \#(members)}]}"#)
    }
}
