// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

/// Libraries with one defect each, as a host meets them: named in the configuration.
@Suite(.timeLimit(.minutes(10))) struct FixtureTests {
    @Test(arguments: [
        (
            "NoNote",
            "carries no Gatehouse note, so it is not a plugin; a plugin target uses the EmbedManifest build plugin"
        ),
        ("RefusingEntryPlugin", "its entry refused: it never works on Fridays"),
        (
            "SecondSDKCopyPlugin",
            "carries its own copy of the SDK (it defines $s12GatehouseSDK13PluginExportsCMa); link the SDK as the dynamic library libGatehouseSDK.so"
        ),
        (
            "UnknownCasePlugin",
            "plugin.json declares \"helo\", which the plugin's Action does not have as a case; correct \"consumes\" and \"emits\""
        ),
        (
            "SilentInterceptorPlugin",
            "it intercepts actions, but its plugin.json does not say so; add \"intercept\" to \"permissions\" there and rebuild it"
        ),
    ])
    func `a library with one defect is refused with one sentence`(target: String, reason: String) async throws
    {
        let lines = try await HostRun.failure(
            #"{ "directory": ".", "plugins": [{ "id": "broken", "library": "lib\#(target).so" }] }"#,
            libraries: [target])
        #expect(lines == ["<folder>/lib\(target).so: refused for the instance broken: \(reason)"])
    }

    @Test func `broken libraries that were dropped in do not keep the others from running`() async throws {
        let run = try await HostRun(
            #"{ "directory": "." }"#,
            libraries: [
                "CounterPlugin", "NoNote", "RefusingEntryPlugin", "SecondSDKCopyPlugin", "UnknownCasePlugin",
            ],
            lines: [#"{"type":"counter/increment"}"#])
        #expect(run.state == ["counter": ["count": 1]])
        #expect(run.warnings.count == 4)
        #expect(run.warnings.allSatisfy { $0.contains(": refused") })
    }

    @Test func `a folder all of whose libraries turn out to be broken does not start, and says so first`()
        async throws
    {
        let lines = try await HostRun.failure(
            #"{ "directory": "." }"#, libraries: ["RefusingEntryPlugin", "UnknownCasePlugin"])
        #expect(lines.first == "<folder>: refused: all 2 libraries in it are refused", "\(lines)")
    }
}
