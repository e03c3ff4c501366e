// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue
import Testing

/// Which files settings name.
@Suite(.timeLimit(.minutes(10))) struct SettingsFilesTests {
    private let schema: Value = [
        "properties": [
            "token": ["x-file": "secret"], "name": ["type": "string"],
            "hooks": ["additionalProperties": ["$ref": "#/$defs/hook"]],
        ],
        "$defs": [
            "hook": ["properties": ["files": ["items": ["x-file": "secret"]]]],
            "loop": ["$ref": "#/$defs/loop"],
        ],
    ]

    @Test func `paths are found by the marks of the schema, through references, lists and any names`() throws
    {
        let settings: Value = [
            "token": "a", "name": "no file", "hooks": ["x": ["files": ["b", "c"]], "y": ["files": [7]]],
        ]
        let files = SettingsFiles(settings, by: schema).all
        #expect(files.map(\.pointer.description) == ["/token", "/hooks/x/files/0", "/hooks/x/files/1"])
        #expect(files.map(\.path) == ["a", "b", "c"])
        #expect(files.allSatisfy { $0.content == .secret })
    }

    @Test func `an empty path is none, and a schema that goes round in a circle has an end`() {
        #expect(SettingsFiles(["token": ""], by: schema).all == [])
        #expect(
            SettingsFiles("a", by: ["$ref": "#/$defs/loop", "$defs": ["loop": ["$ref": "#/$defs/loop"]]]).all
                == [])
    }
}
