// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

/// Plugins that were built with other bodies in the SDK than the host.
@Suite(.timeLimit(.minutes(10))) struct OtherSourcesTests {
    private let increment = #"{"type":"counter/increment"}"# + "\n"
    private let other = String(repeating: "0", count: 64)

    /// The digest of this host's SDK.
    private func own() throws -> String {
        let facts = try JSONText.parse(ChildProcess.run(arguments: ["version", "--json"]).output)
        return try #require(facts["sources"]?.stringValue)
    }

    /// A scene with one counter that was built with other sources.
    ///
    /// - Parameter seesBodies: whether its note says that it may contain any code of them.
    private func scene(seesBodies: Bool) throws -> Scene {
        let scene = try Scene(
            #"{ "discovery": "ignore", "plugins": [{ "id": "counter", "library": "libCounterPlugin.so" }] }"#,
            libraries: ["CounterPlugin"])
        let library = scene.folder("plugins/libCounterPlugin.so")
        var edits = [(try own(), other)]
        // The note keeps its length.
        edits +=
            seesBodies
            ? [(#""sdkBodies":false"#, #""sdkBodies":true "#)]
            : [
                (#""sdkBodies":true"#, #""sdkBodies":false"#),
                (#""toolsVersion":"6.3""#, #""toolsVersion":"63""#),
            ]
        var bytes = try FileSystem.read(library)
        if !seesBodies, !bytes.contains(Array(edits[1].0.utf8)) { edits.removeLast(2) }
        for (old, new) in edits { bytes = bytes.replacing(Array(old.utf8), with: Array(new.utf8)) }
        try FileSystem.write(bytes, to: library)
        return scene
    }

    @Test func `a plugin that contains no bodies of the SDK runs in a host with other ones`() throws {
        let outcome = try scene(seesBodies: false).run(input: increment)
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n")
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a plugin that may contain bodies of the SDK is refused by a host with other ones`() throws {
        let outcome = try scene(seesBodies: true).run(input: increment)
        #expect(outcome.output == "")
        #expect(
            outcome.errors
                == "./plugins/libCounterPlugin.so: refused for the instance counter: SDK sources: expected \(try own()), found \(other); rebuild the plugin with this host's SDK, and with the variables of gatehouse sdk --environment, so that it need not be rebuilt again for a host with the same fingerprint\n"
        )
        #expect(outcome.exitCode == 69)
    }
}
