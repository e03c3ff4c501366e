// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What an operator sees of interceptors.
@Suite(.timeLimit(.minutes(10))) struct StoppedActionsTests {
    private func scene() throws -> Scene {
        try Scene(#"{ "plugins": [{ "id": "interceptor" }] }"#, libraries: ["InterceptorPlugin"])
    }

    private func line(_ name: String) -> String {
        #"{"type":"interceptor/\#(name)","payload":{"number":1}}"# + "\n"
    }

    @Test func `stopped actions are counted apart, and are not printed`() throws {
        let outcome = try scene().run(["--print", "actions"], input: line("stop") + line("changed"))
        #expect(
            outcome.output == """
                {"type":"interceptor/stopped","payload":{"number":1}}
                {"type":"interceptor/changed","payload":{"number":1}}

                """)
        #expect(
            outcome.errors == "gatehouse: 2 lines, 2 actions, 0 rejected, 1 action stopped by interceptors\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `nothing is said about interceptors when nothing was stopped`() throws {
        let outcome = try scene().run(["--print", "none"], input: line("changed"))
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
    }

    @Test func `a delayed action is waited for when the input has ended`() throws {
        let outcome = try scene().run(["--print", "actions"], input: line("later"))
        #expect(outcome.output == #"{"type":"interceptor/later","payload":{"number":1}}"# + "\n")
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
    }

    @Test func `a library that intercepts without saying so is refused with 69`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "silent-interceptor" }] }"#, libraries: ["SilentInterceptorPlugin"])
        let outcome = try scene.run()
        #expect(
            outcome.errorLines == [
                "./plugins/libSilentInterceptorPlugin.so: refused for the instance silent-interceptor: it intercepts actions, but its plugin.json does not say so; add \"intercept\" to \"permissions\" there and rebuild it"
            ])
        #expect(outcome.exitCode == 69)
    }
}
