// SPDX-License-Identifier: Apache-2.0

package import GatehouseHostTesting
internal import Glibc

/// A member of a ``ClusterScene``: a host in its own folder, over several lives. Not thread-safe.
package final class SceneMember {
    /// The name under which it joins.
    package let name: String
    /// The folder of the member.
    package let folder: TemporaryFolder
    /// The network between it and the engine; nil for a direct connection.
    package let proxy: ConnectionProxy?
    /// Its clock; nil for the machine's.
    package let clock: FalseClock?
    /// The process that was started last.
    package private(set) var process: ChildProcess?
    /// The outcomes of its former lives.
    package private(set) var ended: [ChildProcess.Outcome] = []
    /// Whether it is paused.
    package private(set) var isPaused = false

    /// Creates a member without starting it.
    ///
    /// - Parameter configuration: the text of its configuration; the argument is the address of the engine.
    init(
        _ name: String, proxy: ConnectionProxy?, folder: TemporaryFolder, clock: FalseClock?,
        libraries: [String], _ configuration: String
    ) throws {
        self.name = name
        self.folder = folder
        self.proxy = proxy
        self.clock = clock
        _ = try folder.makeFolder("plugins")
        for library in libraries { try folder.copyLibrary(library, as: "plugins/lib\(library).so") }
        try folder.write(configuration, to: "plugins.json")
    }

    /// The path of the socket for writers.
    package var socket: String { folder("in.sock") }

    /// Whether it was started and not yet found to have ended.
    package var isRunning: Bool { process != nil }

    /// The environment of programs beside it.
    package var environment: [String: String] {
        ["CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder.path]
    }

    /// Starts it; returns at once.
    package func start(_ arguments: String...) throws { try start(arguments) }

    /// Starts it with arguments in an array; returns at once.
    private func start(_ arguments: [String]) throws {
        process = try ChildProcess(
            BuiltProducts.program, ["run"] + arguments, in: folder.path, limit: .seconds(86_400),
            environment: environment.merging(clock?.environment ?? [:]) { $1 }, keeping: folder)
    }

    /// Starts it, and waits until writers can connect.
    package func startListening(_ arguments: String...) throws {
        try start(arguments)
        try running().waitForErrors("gatehouse: listening at in.sock\n")
    }

    /// The process, which must exist.
    package func running() throws -> ChildProcess {
        guard let process else { throw Absent(description: "member \(name) does not run") }
        return process
    }

    /// A needed member does not run.
    package struct Absent: Error, CustomStringConvertible {
        /// The member.
        package let description: String
    }

    /// Kills it, and waits for its end.
    @discardableResult
    package func kill() throws -> ChildProcess.Outcome {
        try running().signal(SIGKILL)
        return try finish()
    }

    /// Asks it to end in good order, and waits until it has.
    @discardableResult
    package func stop() throws -> ChildProcess.Outcome {
        try running().signal(SIGTERM)
        return try finish()
    }

    /// Waits until it has ended by itself.
    @discardableResult
    package func finish() throws -> ChildProcess.Outcome {
        let outcome = try running().finish()
        process = nil
        isPaused = false
        ended.append(outcome)
        return outcome
    }

    /// Pauses it.
    package func pause() throws {
        try running().signal(SIGSTOP)
        isPaused = true
    }

    /// Resumes it.
    package func resume() throws {
        try running().signal(SIGCONT)
        isPaused = false
    }

    /// Waits for a text on standard error, in the present life.
    package func waitFor(_ text: String) throws { try running().waitForErrors(text) }

    /// Runs a command beside it, such as `ctl`.
    package func call(_ arguments: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(arguments: arguments, in: folder.path, environment: environment)
    }
}
