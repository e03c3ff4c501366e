// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehousePlan

/// What a plugin does against what its manifest says.
@Suite(.timeLimit(.minutes(10))) struct PermissionTests {
    private struct Plain: Plugin {
        enum Action: PluginAction { case hello }
        static func middleware() -> Reader { .doNothing() }
    }

    private struct Deciding: InterceptingPlugin {
        enum Action: PluginAction { case hello }
        static func middleware() -> Reader { .doNothing() }
        static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> { .identity }
    }

    private func planned(_ permissions: [String]) throws -> PlannedInstance {
        PlannedInstance(
            InstanceConfiguration(id: "p"),
            manifest: PluginManifest(
                id: "p", version: try #require(SemanticVersion("1.0.0")), summary: "", principal: "P",
                consumes: ["hello"], permissions: permissions))
    }

    @Test func `the compiler finds the interceptor where the plugin's type is known`() {
        #expect(PluginEntry.exports(of: Deciding.self).intercepts)
        #expect(!PluginEntry.exports(of: Plain.self).intercepts)
    }

    @Test func `a plugin that says what it does is not objected to`() throws {
        #expect(try planned([]).objection(to: PluginEntry.exports(of: Plain.self)) == nil)
        #expect(
            try planned(["network", "intercept"]).objection(to: PluginEntry.exports(of: Deciding.self))
                == nil)
    }

    @Test func `an interceptor without the permission is refused, naming the key`() throws {
        #expect(
            try planned(["network"]).objection(to: PluginEntry.exports(of: Deciding.self))
                == "it intercepts actions, but its plugin.json does not say so; add \"intercept\" to \"permissions\" there and rebuild it"
        )
    }

    @Test func `the permission without an interceptor is refused: nobody would stop anything`() throws {
        #expect(
            try planned(["intercept"]).objection(to: PluginEntry.exports(of: Plain.self))
                == "its plugin.json lists \"intercept\" in \"permissions\", but it has no interceptor; adopt InterceptingPlugin or remove the permission, and rebuild it"
        )
    }
}
