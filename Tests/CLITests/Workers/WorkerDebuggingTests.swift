// SPDX-License-Identifier: Apache-2.0

import CTracing
import GatehouseHostTesting
import Testing

/// How a debugger comes to the worker of a plugin.
@Suite(.timeLimit(.minutes(10))) struct WorkerDebuggingTests {
    private static let configuration =
        #"{ "discovery": "ignore", "plugins": [{ "id": "logger", "placement": "worker" }, { "id": "counter" }] }"#

    @Test func `a worker waits for a debugger before it loads its library, and goes on when one is there`()
        throws
    {
        let scene = try Scene(Self.configuration, libraries: ["CounterPlugin", "LoggerPlugin"])
        let child = try ChildProcess(
            BuiltProducts.program, ["run", "--debug-worker", "logger", "--print", "none"],
            in: scene.folder.path,
            environment: scene.environment)
        try child.waitForErrors(
            "logger: its worker waits for a debugger before it loads the library: gdb -p ")
        let process = try #require(
            child.errorsSoFar.firstMatch(of: /gdb -p ([0-9]+), or lldb -p ([0-9]+), then continue\n/)
                .flatMap { $0.1 == $0.2 ? Int32($0.1) : nil })
        let maps = { try String(decoding: FileSystem.read("/proc/\(process)/maps"), as: UTF8.self) }
        #expect(try !maps().contains("LoggerPlugin"))
        #expect(gatehouse_trace(process) == 0)
        child.write(#"{"type":"counter/increment"}"# + "\n")
        try child.waitForErrors("counter/increment")
        #expect(try maps().contains("LoggerPlugin"))
        #expect(gatehouse_release(process) == 0)
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }

    @Test(arguments: ["counter", "nobody"])
    func `an instance that runs in no worker is a usage error`(id: String) throws {
        let scene = try Scene(Self.configuration, libraries: ["CounterPlugin", "LoggerPlugin"])
        let outcome = try scene.run(["--debug-worker", id], input: "")
        #expect(outcome.exitCode == 64)
        #expect(
            outcome.errors.contains(
                "--debug-worker: expected the id of an instance that runs in a worker, found \"\(id)\"; gatehouse plan shows where each runs"
            ), "\(outcome.errors)")
    }

    @Test func `a supervisor would end what waits, so the two exclude each other`() throws {
        let scene = try Scene(Self.configuration, libraries: ["CounterPlugin", "LoggerPlugin"])
        let outcome = try scene.run(["--debug-worker", "logger", "--supervise"], input: "")
        #expect(outcome.exitCode == 64)
        #expect(
            outcome.errors.contains(
                "--supervise and --debug-worker are both given; give one of them"), "\(outcome.errors)")
    }
}
