// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc

/// A running host whose input stays open, while its configuration and its libraries change.
final class LiveHost {
    /// A configuration with one counter in it.
    static let counter = #"{ "plugins": [{ "id": "counter" }] }"#

    let scene: Scene
    let child: ChildProcess
    /// Lines that were written.
    private var lines = 0

    /// Starts a host, and waits until it reads.
    ///
    /// - Parameter prepare: does what is left to do in the scene before.
    convenience init(
        _ configuration: String, libraries: [String], _ arguments: [String] = [],
        environment: [String: String] = [:], prepare: (Scene) throws -> Void = { _ in }
    ) throws {
        let scene = try Scene(configuration, libraries: libraries)
        try prepare(scene)
        try self.init(scene, arguments, environment: environment)
    }

    /// Starts a host in a scene, and waits until it reads.
    init(_ scene: Scene, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        self.scene = scene
        child = try ChildProcess(
            BuiltProducts.program, ["run"] + arguments, in: scene.folder.path,
            environment: scene.environment.merging(environment) { $1 }, keeping: scene.folder)
        try settle()
    }

    /// Sends an action of each type, in order.
    func send(_ types: String...) {
        for type in types { write(#"{"type":"\#(type)"}"#) }
    }

    /// Sends a line as it is, which need not be an action.
    func write(_ line: String) {
        child.write(line + "\n")
        lines += 1
    }

    /// Waits until everything that was sent is processed: a line that is no action is told after it.
    func settle() throws {
        write("?")
        try child.waitForErrors("standard input:\(lines):1")
    }

    /// Writes the configuration and asks the host to look at it; waits for the sentence in which it says what came of it.
    ///
    /// - Parameter settling: whether what was sent is to be processed before.
    func reload(_ configuration: String? = nil, settling: Bool = true, expecting sentence: String) throws {
        if settling { try settle() }
        if let configuration { try scene.folder.write(configuration, to: "plugins.json") }
        child.signal(SIGHUP)
        try child.waitForErrors(sentence)
    }

    /// Takes a library out of the plugin folder and drops another one in.
    func replace(_ library: String, by other: String) throws {
        FileSystem.remove(scene.folder("plugins/lib\(library).so"))
        try scene.addLibrary(other)
    }

    /// Runs `gatehouse ctl`, for a host with a control socket.
    func ctl(_ arguments: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["ctl"] + arguments, in: scene.folder.path, environment: scene.environment)
    }

    /// Ends the input; gives the state, and what was told, with `N` for each number of milliseconds.
    func finish() throws -> (state: String, errors: [String], exitCode: Int32?) {
        child.closeInput()
        let outcome = try child.finish()
        let errors = outcome.errors.replacing(/after \d+ ms/, with: "after N ms")
        return (
            outcome.output.filter { !$0.isWhitespace },
            errors.split(separator: "\n").filter { !$0.hasPrefix("standard input:") }.map(String.init),
            outcome.exitCode
        )
    }
}
