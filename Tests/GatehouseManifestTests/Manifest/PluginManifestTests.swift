// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue
import Testing

@Suite(.timeLimit(.minutes(10))) struct PluginManifestTests {
    /// The members of a right manifest, in order.
    private static let right: [(key: String, text: String)] = [
        ("id", #""greeter""#), ("version", #""1.0.0""#), ("summary", #""Greets whoever says hello""#),
        ("principal", #""Greeter""#), ("consumes", #"["hello"]"#), ("emits", #"["greeted"]"#),
    ]

    /// The right manifest on one line for each member, with some members replaced, added or (nil) removed.
    private static func text(with changes: [String: String?] = [:]) -> String {
        var members = right.compactMap { key, text -> (String, String)? in
            (changes[key] ?? text).map { (key, $0) }
        }
        for (key, text) in changes.sorted(by: { $0.key < $1.key })
        where !right.contains(where: { $0.key == key }) {
            if let text { members.append((key, text)) }
        }
        return "{\n" + members.map { "  \"\($0)\": \($1)" }.joined(separator: ",\n") + "\n}\n"
    }

    /// The lines of the error that a text gives; none if it is right.
    private func problems(in text: String) -> [String] {
        do {
            _ = try PluginManifest(parsing: Array(text.utf8))
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `a manifest is read whole`() throws {
        let text = Self.text(with: [
            "settings": #"{ "type": "object" }"#, "permissions": #"["network", "files"]"#,
            "scope": #""cluster""#,
        ])
        var expected = PluginManifest(
            id: "greeter", version: try #require(SemanticVersion("1.0.0")),
            summary: "Greets whoever says hello", principal: "Greeter", consumes: ["hello"],
            emits: ["greeted"], settings: ["type": "object"], permissions: ["network", "files"])
        expected.scope = .cluster
        #expect(try PluginManifest(parsing: Array(text.utf8)) == expected)
    }

    @Test func `emits, settings, permissions and scope may be missing`() throws {
        let manifest = try PluginManifest(parsing: Array(Self.text(with: ["emits": nil]).utf8))
        #expect(manifest.emits == [])
        #expect(manifest.settings == nil)
        #expect(manifest.permissions == [])
        #expect(manifest.scope == .partition)
    }

    @Test(arguments: [
        ("id", #""a""#), ("id", #""a-1-""#), ("version", #""0.0.1-rc.1+5""#),
        ("principal", #""Outer.Größe_2""#),
        ("principal", #""_P""#), ("consumes", "[]"), ("consumes", #"["*"]"#),
        ("consumes", #"["order-*", "a/b"]"#),
        ("emits", #"["hosts/a", "host"]"#), ("settings", "{}"), ("permissions", "[]"),
        ("scope", #""partition""#), ("scope", #""host""#),
    ])
    func `a manifest at the edge of the rules is right`(key: String, value: String) {
        #expect(problems(in: Self.text(with: [key: value])) == [])
    }

    @Test(arguments: [
        (
            "id", #""Greeter""#,
            #"2:9: "id": expected lower-case letters, digits and hyphens, starting with a letter, found "Greeter"; write "greeter""#
        ),
        (
            "id", #""my_plugin.x""#,
            #"2:9: "id": expected lower-case letters, digits and hyphens, starting with a letter, found "my_plugin.x"; write "my-plugin-x""#
        ),
        (
            "id", #""1st""#,
            #"2:9: "id": expected lower-case letters, digits and hyphens, starting with a letter, found "1st"; write "my-plugin" or the like"#
        ),
        (
            "id", "7",
            #"2:9: "id": expected lower-case letters, digits and hyphens, starting with a letter, found an integer; write "id": "my-plugin""#
        ),
        (
            "version", #""1.0""#,
            #"3:14: "version": expected a semantic version, found "1.0"; write three numbers as in "1.0.0" or "1.0.0-beta.1""#
        ),
        (
            "summary", #""  ""#,
            #"4:14: "summary": expected one line of text, found "  "; write "summary": "what the plugin does""#
        ),
        (
            "summary", #""a\nb""#,
            #"4:14: "summary": expected one line of text, found "a\nb"; write "summary": "what the plugin does""#
        ),
        (
            "principal", #""Outer..Greeter""#,
            #"5:16: "principal": expected the name of a Swift type, found "Outer..Greeter"; write the type that conforms to Plugin, as in "MyPlugin" or "Outer.MyPlugin""#
        ),
        (
            "principal", #""Greeter.self)""#,
            #"5:16: "principal": expected the name of a Swift type, found "Greeter.self)"; write the type that conforms to Plugin, as in "MyPlugin" or "Outer.MyPlugin""#
        ),
        (
            "consumes", #""hello""#,
            #"6:15: "consumes": expected an array of strings, found "hello"; write "consumes": ["hello", "order-*"]"#
        ),
        (
            "consumes", #"["a", 5]"#,
            #"6:21: "consumes[1]": expected a type name, found an integer; write "consumes": ["hello", "order-*"]"#
        ),
        (
            "consumes", #"[""]"#,
            #"6:16: "consumes[0]": expected a type name, found ""; name a type or remove the element"#
        ),
        (
            "consumes", #"["a*b"]"#,
            #"6:16: "consumes[0]": expected * only as the last character, found "a*b"; end the name at its first *, or name the types one by one"#
        ),
        (
            "consumes", #"["**"]"#,
            #"6:16: "consumes[0]": expected * only as the last character, found "**"; end the name at its first *, or name the types one by one"#
        ),
        (
            "consumes", #"["a b"]"#,
            #"6:16: "consumes[0]": expected a type name without blanks, found "a b"; remove the blanks"#
        ),
        (
            "consumes", #"["a", "b", "a"]"#,
            #"6:26: "consumes[2]": expected each type name once, found "a" again; remove one of them"#
        ),
        (
            "emits", #"["host/reload"]"#,
            #"7:13: "emits[0]": expected a type of the plugin's own, found "host/reload"; remove it, the operator grants actions of the host"#
        ),
        (
            "settings", "true",
            #"8:15: "settings": expected a JSON Schema, which is an object, found a boolean; write "settings": { "type": "object" }"#
        ),
        (
            "settings", #"{ "type": "strin" }"#,
            #"8:25: "settings.type": expected null, boolean, integer, number, string, array or object, found "strin"; write "string""#
        ),
        (
            "permissions", #"["network", "", "network"]"#,
            #"8:30: "permissions[1]": expected the name of a permission, found ""; name a permission or remove the element|8:34: "permissions[2]": expected each permission once, found "network" again; remove one of them"#
        ),
        (
            "scope", #""hosts""#,
            #"8:12: "scope": expected "partition", "host" or "cluster", found "hosts"; write "host""#
        ),
        (
            "scope", "1",
            #"8:12: "scope": expected "partition", "host" or "cluster", found an integer; choose one of them, or remove it for "partition""#
        ),
        (
            "emit", "[]",
            #"8:3: "emit": expected one of the keys id, version, summary, principal, consumes, emits, narrows, settings, permissions, scope, onQuarantine, onInterruption, discovery, found an unknown key; remove it"#
        ),
        (
            "setting", "{}",
            #"8:3: "setting": expected one of the keys id, version, summary, principal, consumes, emits, narrows, settings, permissions, scope, onQuarantine, onInterruption, discovery, found an unknown key; write "settings""#
        ),
    ])
    func `a broken rule names place, key, expected, found and remedy`(
        key: String, value: String, message: String
    ) {
        #expect(problems(in: Self.text(with: [key: value])).joined(separator: "|") == message)
    }

    @Test(arguments: [
        (
            "id",
            #"expected lower-case letters, digits and hyphens, starting with a letter, found none; add "id": "my-plugin""#
        ),
        ("version", #"expected a semantic version, found none; add "version": "1.0.0""#),
        ("summary", #"expected one line of text, found none; add "summary": "what the plugin does""#),
        ("principal", #"expected the name of a Swift type, found none; add "principal": "MyPlugin""#),
        ("consumes", #"expected an array of type names, found none; add "consumes": ["hello"]"#),
    ])
    func `a missing key is reported where the manifest starts`(key: String, message: String) {
        #expect(problems(in: Self.text(with: [key: nil])) == ["1:1: \"\(key)\": \(message)"])
    }

    @Test func `all problems come at once, in the order of the text`() {
        let text = #"""
            { "id": "Big Plugin", "versoin": "1.0.0",
              "consumes": ["a*b", 3], "id": "x" }
            """#
        #expect(
            problems(in: text) == [
                #"1:1: "version": expected a semantic version, found none; add "version": "1.0.0""#,
                #"1:1: "summary": expected one line of text, found none; add "summary": "what the plugin does""#,
                #"1:1: "principal": expected the name of a Swift type, found none; add "principal": "MyPlugin""#,
                #"1:9: "id": expected lower-case letters, digits and hyphens, starting with a letter, found "Big Plugin"; write "big-plugin""#,
                #"1:23: "versoin": expected one of the keys id, version, summary, principal, consumes, emits, narrows, settings, permissions, scope, onQuarantine, onInterruption, discovery, found an unknown key; write "version""#,
                #"2:16: "consumes[0]": expected * only as the last character, found "a*b"; end the name at its first *, or name the types one by one"#,
                #"2:23: "consumes[1]": expected a type name, found an integer; write "consumes": ["hello", "order-*"]"#,
                #"2:27: "id": expected each key once, found it again after line 1; remove one of them"#,
            ])
    }

    @Test func `text that is not JSON is one problem`() {
        #expect(problems(in: "") == ["1:1: expected a value, found nothing but white space"])
        #expect(
            problems(in: "{\n  \"id\" \"greeter\"\n}")
                == ["2:8: expected ':' after the member name, found '\"'"])
        #expect(
            problems(in: "[]") == [
                "1:1: expected an object, found an array; write the manifest between { and }"
            ])
    }

    @Test func `a long wrong text is cut in the message`() throws {
        let text = Self.text(with: ["version": "\"\(String(repeating: "x", count: 100))\""])
        let problem = try #require(problems(in: text).first)
        #expect(problem.contains("found \"\(String(repeating: "x", count: 60))…\";"))
    }

    @Test func `a manifest is written as it was read`() throws {
        let text = Self.text(with: ["settings": #"{ "type": "object" }"#])
        let manifest = try PluginManifest(parsing: Array(text.utf8))
        #expect(try PluginManifest(parsing: Array(manifest.value.json().utf8)) == manifest)
        #expect(
            manifest.value.json()
                == #"{"id":"greeter","version":"1.0.0","summary":"Greets whoever says hello","#
                + #""principal":"Greeter","consumes":["hello"],"emits":["greeted"],"#
                + #""settings":{"type":"object"},"permissions":[]}"#)
    }

    @Test func `a manifest may say that the plugin takes part with an entry alone`() throws {
        let manifest = try PluginManifest(parsing: Array(Self.text(with: ["discovery": #""never""#]).utf8))
        #expect(manifest.discovery == .never)
        #expect(manifest.value["discovery"] == "never")
        let silent = try PluginManifest(parsing: Array(Self.text(with: [:]).utf8))
        #expect(silent.discovery == .always && silent.value["discovery"] == nil)
        #expect(
            problems(in: Self.text(with: ["discovery": #""nevr""#])).map {
                String($0.drop { $0 != "\"" })
            } == [#""discovery": expected "always" or "never", found "nevr"; write "never""#])
    }

    @Test func `settings may name what a plugin hears or emits in place of everything`() throws {
        let settings = #"{ "properties": { "when": { "x-action": "hears" } } }"#
        let all = [
            "consumes": #"["*"]"#, "emits": #"["*"]"#, "settings": settings, "narrows": #"["consumes"]"#,
        ]
        let manifest = try PluginManifest(parsing: Array(Self.text(with: all).utf8))
        #expect(manifest.narrows == [.consumes])
        #expect(manifest.value["narrows"] == ["consumes"])
        #expect(try PluginManifest(parsing: Array(manifest.value.json().utf8)) == manifest)
        func told(_ changes: [String: String?]) -> [String] {
            problems(in: Self.text(with: all.mapValues { $0 }.merging(changes) { $1 })).map {
                String($0.drop { $0 != "\"" })
            }
        }
        #expect(
            told(["narrows": #"["emit"]"#]) == [
                #""narrows[0]": expected "consumes" or "emits", found "emit"; write "emits""#
            ])
        #expect(
            told(["consumes": #"["a"]"#]) == [
                #""narrows[0]": there is no "*" in "consumes" that settings could stand for; add it there, or remove "consumes" here"#
            ])
        #expect(
            told(["narrows": #"["emits"]"#]) == [
                #""narrows[0]": no place of "settings" has "x-action": "emits"; mark those that name action types, or remove "emits" here"#
            ])
    }

    @Test func `what becomes of actions in quarantine is read where the plugin intercepts`() throws {
        let intercept = #"["intercept"]"#
        for (word, read) in [("pass", QuarantinedInterception.pass), ("stop", .stop)] {
            let text = Self.text(with: ["permissions": intercept, "onQuarantine": "\"\(word)\""])
            let manifest = try PluginManifest(parsing: Array(text.utf8))
            #expect(manifest.onQuarantine == read)
            #expect(try PluginManifest(parsing: Array(manifest.value.json().utf8)) == manifest)
        }
        let silent = try PluginManifest(parsing: Array(Self.text(with: ["permissions": intercept]).utf8))
        #expect(silent.onQuarantine == nil && silent.value["onQuarantine"] == nil)
        #expect(
            problems(in: Self.text(with: ["permissions": intercept, "onQuarantine": #""stopp""#])).map {
                $0.replacing(#/^[0-9:]+ /#, with: "")
            } == [#""onQuarantine": expected "pass" or "stop", found "stopp"; write "stop""#])
        #expect(
            problems(in: Self.text(with: ["onQuarantine": #""stop""#])).map {
                $0.replacing(#/^[0-9:]+ /#, with: "")
            } == [
                #""onQuarantine": it says nothing without "intercept" in "permissions"; add that, or remove "onQuarantine""#
            ])
    }

    @Test func `a scope is written only where it is not the usual one`() throws {
        let host = try PluginManifest(parsing: Array(Self.text(with: ["scope": #""host""#]).utf8))
        #expect(host.value["scope"] == "host")
        #expect(try PluginManifest(parsing: Array(host.value.json().utf8)) == host)
        let partition = try PluginManifest(parsing: Array(Self.text(with: ["scope": #""partition""#]).utf8))
        #expect(partition.value["scope"] == nil)
    }

    @Test func `the place of the principal is told`() throws {
        let place = try PluginManifest.parsingLocated(Array(Self.text().utf8)).principal
        #expect(place.line == 5)
        #expect(place.column == 16)
    }
}
