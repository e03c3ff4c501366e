// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// Settings that are texts of a certain form.
@Suite(.timeLimit(.minutes(10))) struct SettingTextTests {
    private struct Settings: PluginSettings {
        @FileName var file = "a.log"
    }

    @Test(arguments: ["a", "...", ".a", "a b", "é", "\u{1}", "a.ndjson"])
    func `the name of a file is a text without slashes`(name: String) throws {
        let settings = try (["file": .string(name)] as Value).decode(Settings.self)
        #expect(settings.file == name)
        #expect(try Value(encoding: settings) == ["file": .string(name)])
    }

    @Test(arguments: ["", ".", "..", "/", "a/b", "a\0b", "\0"])
    func `a text that cannot be the name of a file is refused`(name: String) {
        let failure = #expect(throws: CodingFailure.self) {
            try (["file": .string(name)] as Value).decode(Settings.self)
        }
        #expect(
            failure?.description
                == "/file: expected a name for a file, without slashes, found \(Value.string(name).json())")
    }

    @Test func `an emitted type is one type`() throws {
        let type = try ("a/b" as Value).decode(EmittedType.self)
        #expect(type.type == "a/b")
        #expect(type.text == "a/b")
        #expect(try Value(encoding: type) == "a/b")
        for text in ["", "*", "a/*", "*a"] {
            let failure = #expect(throws: CodingFailure.self) {
                try Value.string(text).decode(EmittedType.self)
            }
            #expect(
                failure?.description
                    == "the whole value: expected one action type without *, found \(Value.string(text).json())"
            )
        }
    }

    @Test func `what an encoder refuses is an error`() throws {
        let name = try #require(FileName("a"))
        #expect(throws: RefusingEncoder.Refusal.self) { try name.encode(to: RefusingEncoder()) }
    }
}
