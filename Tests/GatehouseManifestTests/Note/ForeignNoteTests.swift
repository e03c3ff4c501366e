// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue
import Testing

/// The note of a plugin in another language, which no build tool has checked.
@Suite(.timeLimit(.minutes(10))) struct ForeignNoteTests {
    /// A note as the macro of the C header writes it.
    private static let text =
        #"{"format":1,"foreign":1,"entry":"gatehouse_foreign_v1","manifest":{ "id": "hello", "version": "1.0.0", "summary": "Says hello", "consumes": ["hello"] }}"#

    /// The lines of the error that a text gives; none if it is right.
    private func problems(in text: String) -> [String] {
        do {
            _ = try PluginNote(parsing: Array(text.utf8))
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `it is bound by a number alone`() throws {
        let note = try PluginNote(parsing: Array(Self.text.utf8))
        #expect(note.contract == .foreign(abi: 1))
        #expect(note.identity == nil)
        #expect(note.entry.symbol == "gatehouse_foreign_v1")
        #expect(note.manifest.principal == nil)
        #expect(note.keepsState == nil)
        #expect(try PluginNote(parsing: note.bytes) == note)
    }

    @Test func `zeros after the text are no part of it`() throws {
        let bytes = Array(Self.text.utf8)
        #expect(try PluginNote(parsing: bytes + [0, 0, 0]) == PluginNote(parsing: bytes))
        #expect(problems(in: "\0\0") == ["1:1: expected a value, found nothing but white space"])
    }

    @Test func `it may say that the plugin keeps state, and what else nobody knows`() throws {
        let text = Self.text.replacing(#""format":1,"#, with: #""format":1,"keepsState":true,"colour":1,"#)
        #expect(try PluginNote(parsing: Array(text.utf8)).keepsState == true)
    }

    @Test func `its manifest may say where its instances are`() throws {
        let text = Self.text.replacing(#""version""#, with: #""scope": "host", "version""#)
        #expect(try PluginNote(parsing: Array(text.utf8)).manifest.scope == .host)
    }

    @Test func `another number hides all other problems`() {
        #expect(
            problems(in: #"{"format":1,"foreign":2,"entry":1}"#) == [
                #"1:23: "foreign": expected 1, found 2; build the plugin with the gatehouse_foreign.h of this host"#
            ])
        #expect(
            problems(in: #"{"format":1,"foreign":true}"#) == [
                #"1:23: "foreign": expected a number, found a boolean; write "foreign": 1"#
            ])
    }

    @Test func `mistakes of the manifest are told with their places, all at once`() {
        let text = Self.text.replacing(#""consumes": ["hello"]"#, with: #""principal": "Hello", "emit": []"#)
        #expect(
            problems(in: text) == [
                #"1:67: "manifest.consumes": expected an array of type names, found none; add "consumes": ["hello"]"#,
                #"1:129: "manifest.principal": expected one of the keys id, version, summary, consumes, emits, narrows, settings, permissions, scope, onQuarantine, onInterruption, discovery, found an unknown key; remove it"#,
                #"1:151: "manifest.emit": expected one of the keys id, version, summary, consumes, emits, narrows, settings, permissions, scope, onQuarantine, onInterruption, discovery, found an unknown key; write "emits""#,
            ])
    }

    @Test(arguments: ["gatehouse_foreign_v1", "gatehouse_foreign_v1_hello"])
    func `the entry has the name of the contract, and may have one of its own after it`(symbol: String) {
        #expect(EntryName(foreign: symbol, abi: 1)?.symbol == symbol)
    }

    @Test(arguments: [
        "", "gatehouse_foreign_v", "gatehouse_foreign_v2", "gatehouse_foreign_v1a", "gatehouse_foreign_v1_é",
    ])
    func `another symbol is no entry`(symbol: String) {
        #expect(EntryName(foreign: symbol, abi: 1) == nil)
    }
}
