// SPDX-License-Identifier: Apache-2.0

import CGatehouse
import FoundationEssentials
import GatehouseManifest
import GatehouseSDK
import GatehouseValue
import Testing

/// Holds Documentation/ABI.md to what header and sources say.
@Suite(.timeLimit(.minutes(10))) struct ABIDocumentTests {
    /// Reads the whole document.
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
        let start = try #require(lines.firstIndex { $0 == "## " + heading || $0 == "### " + heading })
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
            contract: .sdk(SDKIdentity.current), entry: EntryName(module: "GreeterPlugin"),
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

    /// Whether a table of the document has these fields, at these places.
    private func expect<Struct>(
        _ fields: [(String, PartialKeyPath<Struct>)], below heading: String, table: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let size = MemoryLayout<Struct>.size
        let offsets = try fields.map { try #require(MemoryLayout<Struct>.offset(of: $0.1)) } + [size]
        let expected = fields.indices.map { index in
            ["`\(fields[index].0)`", "\(offsets[index])", "\(offsets[index + 1] - offsets[index])"]
        }
        let rows = try Self.rows(below: heading, table: table).map { Array($0.prefix(3)) }
        #expect(rows == expected, sourceLocation: sourceLocation)
    }

    @Test func `the tables of the foreign contract are the layouts of the C structs`() throws {
        typealias Host = gatehouse_foreign_host_v1
        typealias Plugin = gatehouse_foreign_plugin_v1
        typealias Action = gatehouse_action
        unsafe try expect(
            [
                ("type", \Action.type), ("payload", \.payload), ("is_error", \.is_error),
                ("reserved", \.reserved),
            ], below: "The foreign contract", table: 1)
        unsafe try expect(
            [
                ("size", \Host.size), ("abi", \.abi), ("refuse", \.refuse), ("emit", \.emit), ("log", \.log),
                ("health", \.health), ("begin", \.begin), ("end", \.end), ("cancel", \.cancel),
                ("is_running", \.is_running), ("read_state", \.read_state),
                ("read_host_state", \.read_host_state), ("read_id", \.read_id),
                ("read_data_directory", \.read_data_directory), ("now", \.now), ("replace", \.replace),
                ("begin_when_kept", \.begin_when_kept), ("expect_long", \.expect_long),
                ("fail", \.fail), ("connect", \.connect), ("listen", \.listen),
            ], below: "What the host offers")
        unsafe try expect(
            [
                ("size", \Plugin.size), ("state_version", \.state_version), ("create", \.create),
                ("destroy", \.destroy), ("start", \.start), ("stop", \.stop), ("handle", \.handle),
                ("run_after", \.run_after), ("initial_state", \.initial_state), ("reduce", \.reduce),
                ("migrate", \.migrate), ("gate_changed", \.gate_changed), ("cancelled", \.cancelled),
                ("intercept", \.intercept), ("reserved", \.reserved), ("perform", \.perform),
            ], below: "What a plugin has")
        let text = try Self.text()
        let sizes = unsafe [MemoryLayout<Action>.size, MemoryLayout<Host>.size, MemoryLayout<Plugin>.size]
        #expect(text.contains("`struct gatehouse_action` is \(sizes[0]) bytes:"))
        #expect(text.contains("`struct gatehouse_foreign_host_v1`, \(sizes[1]) bytes; "))
        #expect(text.contains("`struct gatehouse_foreign_plugin_v1`, \(sizes[2]) bytes; "))
    }

    @Test func `the numbers of the foreign contract are those of the header`() throws {
        let keys = try Self.rows(below: "The foreign contract")
        let note = PluginNote(
            manifest: try Self.note().manifest, contract: .foreign(abi: BuildIdentity.currentForeignABI),
            entry: try #require(EntryName(foreign: "gatehouse_foreign_v1", abi: 1)), keepsState: true)
        guard case .object(let members) = note.value else {
            Issue.record("the note is no object")
            return
        }
        #expect(keys.map(\.[0]) == members.map { "`\($0.key)`" })
        #expect(keys[1][2].contains("the number of the foreign contract, \(GATEHOUSE_FOREIGN_ABI);"))
        #expect(keys[2][2].contains("`\(EntryName.foreignPrefix)\(GATEHOUSE_FOREIGN_ABI)`"))
        let answers = [
            ("DONE", GATEHOUSE_DONE), ("GONE", GATEHOUSE_GONE), ("INVALID", GATEHOUSE_INVALID),
            ("ABSENT", GATEHOUSE_ABSENT), ("NOT_NOW", GATEHOUSE_NOT_NOW),
        ]
        #expect(
            try Self.rows(below: "What the host offers", table: 1).map { Array($0.prefix(2)) }
                == answers.map { ["`GATEHOUSE_\($0)`", "\($1.rawValue)"] })
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
