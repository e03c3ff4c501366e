// SPDX-License-Identifier: Apache-2.0

import CGatehouse
import FoundationEssentials
import GatehouseManifest
import GatehouseSDK
import GatehouseValue
import Testing

/// Holds Documentation/ABI.md to what header and sources say.
@Suite struct ABIDocumentTests {
    /// The whole document.
    private static func text() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Documentation/ABI.md"), encoding: .utf8)
    }

    /// A table below a heading: each row as its cells, without the head.
    ///
    /// - Parameter table: which of the tables there, from 0.
    private static func rows(below heading: String, table: Int = 0) throws -> [[String]] {
        let lines = try text().split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == "## " + heading })
        var rest = lines[(start + 1)...].drop { !$0.hasPrefix("|") }
        for _ in 0..<table {
            rest = rest.drop { $0.hasPrefix("|") }.drop { !$0.hasPrefix("|") }
        }
        return rest.prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.split(separator: "|").map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        }
    }

    /// A note such as the build tool writes.
    private static func note() throws -> PluginNote {
        PluginNote(
            manifest: PluginManifest(
                id: "greeter", version: try #require(SemanticVersion("1.0.0")), summary: "Greets",
                principal: "Greeter", consumes: ["hello"]),
            identity: SDKIdentity.current, entry: EntryName(module: "GreeterPlugin"),
            coding: .generated, keepsState: true)
    }

    @Test func `the table of the host's fields is the layout of the C struct`() throws {
        typealias Host = gatehouse_host_v1
        let offsets = unsafe [
            ("`size`", MemoryLayout<Host>.offset(of: \.size), MemoryLayout<UInt32>.size),
            ("`abi`", MemoryLayout<Host>.offset(of: \.abi), MemoryLayout<UInt32>.size),
            ("`sdk_identity`", MemoryLayout<Host>.offset(of: \.sdk_identity), MemoryLayout<Int>.size),
            ("`refuse_context`", MemoryLayout<Host>.offset(of: \.refuse_context), MemoryLayout<Int>.size),
            ("`refuse`", MemoryLayout<Host>.offset(of: \.refuse), MemoryLayout<Int>.size),
        ]
        let expected = try offsets.map { [$0.0, "\(try #require($0.1))", "\($0.2)"] }
        #expect(try Self.rows(below: "The host table").map { Array($0.prefix(3)) } == expected)
        let size = unsafe MemoryLayout<Host>.size
        let stated = try Self.text().contains("The size of the table is \(size) bytes.")
        #expect(stated)
    }

    @Test func `the table of the note's keys names each key that the build tool writes, in order`() throws {
        let note = try Self.note()
        guard case .object(let members) = note.value else {
            Issue.record("the note is no object")
            return
        }
        let documented = try Self.rows(below: "The note", table: 1)
        #expect(documented.map(\.[0]) == members.map { "`\($0.key)`" })
        #expect(
            documented.map(\.[1])
                == members.map { member in
                    switch member.value {
                    case .integer: "number"
                    case .string: "string"
                    case .object: "object"
                    case .bool: "boolean"
                    default: member.value.kindName
                    }
                })
    }

    @Test func `the numbers of the note are those of the sources`() throws {
        let rows = try Self.rows(below: "The note")
        #expect(rows[0] == ["name size", "4", "\(PluginNote.owner.utf8.count + 1)"])
        #expect(
            rows[1] == [
                "content size", "4", "size of the text, a multiple of 8, at most \(PluginNote.sizeLimit)",
            ])
        #expect(rows[2] == ["type", "4", "\(PluginNote.type)"])
        #expect(rows[3][2] == "`\(PluginNote.owner)`, a zero, and two bytes of padding")
        let keys = try Self.rows(below: "The note", table: 1)
        #expect(keys[0][2].contains("the format of the text, \(PluginNote.format);"))
        #expect(keys[1][2] == "the ABI number, \(GATEHOUSE_ABI)")
        #expect(keys[2][2].contains("starts with `\(EntryName.prefix)`,"))
    }

    @Test func `the entry and the table are named after the ABI number`() throws {
        #expect(EntryName.prefix == "gatehouse_plugin_v\(GATEHOUSE_ABI)_")
        #expect(BuildIdentity.currentABI == UInt32(GATEHOUSE_ABI))
        #expect(PluginEntry.abi == UInt32(GATEHOUSE_ABI))
        #expect(SDKIdentity.current.sdkVersion == GATEHOUSE_SDK_VERSION)
    }
}
