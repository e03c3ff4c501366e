// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatehouseSDK
import Testing

/// The tables of Configuration.md, which say what the schema says.
@Suite(.timeLimit(.minutes(1))) struct ConfigurationPageTests {
    /// A row of a table of keys.
    struct Row {
        /// The key.
        let key: String
        /// What the column of the default holds, without its quotation as code.
        let standard: String
        /// What the key means.
        let meaning: String
    }

    /// The objects of the file, in the order of the tables.
    private static let objects = [
        "", "/$defs/ingress", "/$defs/limits", "/$defs/supervise", "/$defs/log", "/$defs/traces",
        "/$defs/journal",
        "/$defs/cluster", "/$defs/instance", "/properties/trust", "/$defs/lift",
    ]

    private static func text(_ path: String) throws -> [UInt8] {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: root.appending(path: path)))
    }

    /// The tables that begin with the heading of keys.
    private func tables() throws -> [[Row]] {
        var tables: [[Row]] = []
        var isInside = false
        for line in String(decoding: try Self.text("Documentation/Configuration.md"), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line == "| key | default | meaning |" {
                tables.append([])
                isInside = true
            } else if isInside, let row = line.wholeMatch(of: /\| `([^`]+)` \| (.*?) \| (.*) \|/) {
                tables[tables.count - 1].append(
                    Row(
                        key: String(row.1), standard: String(row.2.replacing("`", with: "")),
                        meaning: String(row.3)))
            } else if !line.hasPrefix("|--") {
                isInside = false
            }
        }
        return tables
    }

    @Test func `each table has the keys of the schema, with its defaults and ranges`() throws {
        let schema = try JSONText.parse(Self.text("Schemas/plugins.schema.json"))
        let tables = try tables()
        try #require(tables.count == Self.objects.count)
        for (table, pointer) in zip(tables, Self.objects) {
            let object = try #require(schema[try JSONPointer(pointer)])
            let properties = try #require(object["properties"]?.objectValue)
            let required = object["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(table.map(\.key).sorted() == properties.map(\.key).sorted(), "\(pointer)")
            for row in table {
                let property = try #require(properties[row.key])
                #expect(required.contains(row.key) == (row.standard == "required"), "\(pointer) \(row.key)")
                if let value = property["default"], let written = try? JSONText.parse(row.standard) {
                    #expect(written == value, "\(pointer) \(row.key)")
                }
                if let least = property["minimum"]?.intValue, let most = property["maximum"]?.intValue,
                    let range = row.meaning.firstMatch(of: /([0-9,]+) to ([0-9,]+)/)
                {
                    #expect(range.1.replacing(",", with: "") == "\(least)", "\(pointer) \(row.key)")
                    #expect(range.2.replacing(",", with: "") == "\(most)", "\(pointer) \(row.key)")
                }
            }
        }
    }
}
