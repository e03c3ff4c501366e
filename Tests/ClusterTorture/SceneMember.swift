// SPDX-License-Identifier: Apache-2.0

public import GatehouseHostTesting
internal import Glibc

/// A member of a ``ClusterScene``: a host in a folder of its own, over several lives. Not thread-safe.
public final class SceneMember {
    /// The name under which it joins.
    public let name: String
    /// Where it lives.
    public let folder: TemporaryFolder
    /// The network between it and the engine; nil for one that has it at hand.
    public let proxy: ConnectionProxy?
    /// What its clock says; nil for the machine's.
    public let clock: FalseClock?
    /// The process that was started last.
    public private(set) var process: ChildProcess?
    /// How the lives before have ended.
    public private(set) var ended: [ChildProcess.Outcome] = []
    /// Whether it stands still.
    public private(set) var isPaused = false

    /// A member that was not started.
    ///
    /// - Parameter configuration: the text of its configuration, given the address of the engine.
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

    /// Where writers connect.
    public var socket: String { folder("in.sock") }

    /// Whether it was started and has not been seen to end.
    public var isRunning: Bool { process != nil }

    /// What programs beside it find in their environment.
    public var environment: [String: String] {
        ["CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder.path]
    }

    /// Starts it; returns at once.
    public func start(_ arguments: String...) throws {
        process = try ChildProcess(
            BuiltProducts.program, ["run"] + arguments, in: folder.path, limit: .seconds(86_400),
            environment: environment.merging(clock?.environment ?? [:]) { $1 }, keeping: folder)
    }

    /// Starts it, and waits until writers can connect.
    public func startListening(_ arguments: String...) throws {
        try start()
        try running().waitForErrors("gatehouse: listening at in.sock\n")
    }

    /// The process, which there must be.
    public func running() throws -> ChildProcess {
        guard let process else { throw Absent(description: "member \(name) does not run") }
        return process
    }

    /// A member does not run that is needed.
    public struct Absent: Error, CustomStringConvertible {
        /// Which one.
        public let description: String
    }

    /// Kills it, and waits for its end.
    @discardableResult
    public func kill() throws -> ChildProcess.Outcome {
        try running().signal(SIGKILL)
        return try finish()
    }

    /// Asks it to end in order, and waits until it has.
    @discardableResult
    public func stop() throws -> ChildProcess.Outcome {
        try running().signal(SIGTERM)
        return try finish()
    }

    /// Waits until it has ended by itself.
    @discardableResult
    public func finish() throws -> ChildProcess.Outcome {
        let outcome = try running().finish()
        process = nil
        isPaused = false
        ended.append(outcome)
        return outcome
    }

    /// Lets it stand still.
    public func pause() throws {
        try running().signal(SIGSTOP)
        isPaused = true
    }

    /// Lets it go on.
    public func resume() throws {
        try running().signal(SIGCONT)
        isPaused = false
    }

    /// Waits until it has said something on standard error, in the life that runs.
    public func waitFor(_ text: String) throws { try running().waitForErrors(text) }

    /// Runs a command beside it, such as `ctl`.
    public func call(_ arguments: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(arguments: arguments, in: folder.path, environment: environment)
    }
}
