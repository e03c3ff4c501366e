// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A program that runs beside the test, which holds its three streams.
///
/// Writing never blocks: input that the child does not take waits here while its output is read. After the time limit the child is
/// killed and the test fails. Not thread-safe.
public final class ChildProcess {
    /// The results of a finished child.
    public struct Outcome: Sendable {
        /// Everything it wrote to standard output.
        public let output: String
        /// Everything it wrote to standard error.
        public let errors: String
        /// Its exit code; nil when a signal ended it.
        public let exitCode: Int32?

        /// The lines of standard error.
        public var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    /// The child did not reach the expected point in time.
    public struct TimedOut: Error, CustomStringConvertible {
        /// The output until then.
        public let description: String
    }

    /// The process id.
    public let identifier: Int32
    /// Kept as long as the child.
    private let companion: AnyObject?
    private let deadline: ContinuousClock.Instant
    private var input: Int32
    private var output: Int32
    private var errors: Int32
    private var waitingInput: [UInt8] = []
    private var closesInput = false
    private var outputBytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    private var isReaped = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - limit: how long it may run.
    ///   - folder: its working folder.
    ///   - environment: variables to set. Otherwise it has no home and no cache folder, so that nothing is left in the user's, and
    ///     looks for hosts nowhere, so that it sees none that the test did not start.
    ///   - tracesCalls: whether the runtime prints a backtrace after a crash, which takes a processor for two seconds.
    ///   - outputBlocks: whether writing to a full standard output waits; otherwise it fails with `EAGAIN`.
    ///   - descriptor: becomes the child's descriptor 3; nil for none.
    ///   - companion: kept as long as the child, such as the owner of the folder.
    public init(
        _ program: String, _ arguments: [String], in folder: String, limit: Duration = .seconds(300),
        environment: [String: String] = [:], tracesCalls: Bool = false, outputBlocks: Bool = true,
        handing descriptor: Int32? = nil, keeping companion: AnyObject? = nil
    ) throws {
        self.companion = companion
        deadline = .now.advanced(by: limit)
        // A shell enters the folder and then executes the program.
        let entering =
            "cd \"$0\" && unset HOME XDG_CACHE_HOME CACHE_DIRECTORY XDG_RUNTIME_DIR RUNTIME_DIRECTORY && "
            + "export GATEHOUSE_RUN_DIRECTORY=/nonexistent && "
            // Fixtures read there what they are to do in a rehearsal.
            + "export GATEHOUSE_CHILD_ENVIRONMENT=RESTLESS,DEFECT,MIGRANT_VERSION,RUST_PROBE_OPENS && "
            + (tracesCalls ? "" : "export SWIFT_BACKTRACE=enable=no && ") + "exec \"$@\""
        let variables = environment.isEmpty ? [] : ["/usr/bin/env"] + environment.map { "\($0)=\($1)" }
        let words = ["sh", "-c", entering, folder] + variables + [program] + arguments
        (identifier, input, output, errors) = try Self.starting.withLock { _ in
            try Self.start(words, outputBlocks, descriptor)
        }
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
    }

    /// Held while pipes are made, so that no other child inherits their ends before they are marked.
    private static let starting = Mutex(())

    /// Starts a shell with three pipes.
    private static func start(
        _ words: [String], _ outputBlocks: Bool, _ descriptor: Int32?
    ) throws -> (identifier: pid_t, input: Int32, output: Int32, errors: Int32) {
        let (childInput, input) = try makePipe()
        let (output, childOutput) = try makePipe()
        if !outputBlocks { _ = fcntl(childOutput, F_SETFL, O_NONBLOCK) }
        let (errors, childErrors) = try makePipe()
        defer { for end in [childInput, childOutput, childErrors] { close(end) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (end, number) in [(childInput, 0), (childOutput, 1), (childErrors, 2)] as [(Int32, Int32)] {
            unsafe posix_spawn_file_actions_adddup2(&actions, end, number)
        }
        if let descriptor { unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, 3) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // As from a shell: the threads of tests have most signals blocked, whoever started the tests may have had them ignore a
        // hang-up, and children inherit both.
        var blocked = sigset_t()
        unsafe sigemptyset(&blocked)
        unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
        var ordinary = sigset_t()
        unsafe sigemptyset(&ordinary)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { unsafe sigaddset(&ordinary, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &ordinary)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var vector: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe vector.forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let failure = unsafe posix_spawn(&identifier, "/bin/sh", &actions, &attributes, &vector, environ)
        guard failure == 0 else {
            errno = failure
            throw SystemFailure("posix_spawn \(words)")
        }
        return (identifier, input, output, errors)
    }

    deinit {
        if !isReaped {
            kill(identifier, SIGKILL)
            var status: Int32 = 0
            _ = unsafe waitpid(identifier, &status, 0)
        }
        for end in [input, output, errors] where end >= 0 { close(end) }
    }

    /// Runs a program from start to end.
    public static func run(
        _ program: String = BuiltProducts.program, arguments: [String], input: [UInt8] = [],
        in folder: String = "/",
        limit: Duration = .seconds(300), environment: [String: String] = [:], tracesCalls: Bool = false
    ) throws -> Outcome {
        let child = try ChildProcess(
            program, arguments, in: folder, limit: limit, environment: environment, tracesCalls: tracesCalls)
        child.write(input)
        child.closeInput()
        return try child.finish()
    }

    /// Gives the child more input.
    public func write(_ bytes: [UInt8]) { waitingInput += bytes }

    /// Gives the child more input.
    public func write(_ text: String) { write(Array(text.utf8)) }

    /// Closes the child's input after everything that was written.
    public func closeInput() { closesInput = true }

    /// Closes this end of the child's standard output, like a reader that has seen enough.
    public func closeOutput() {
        if output >= 0 { close(output) }
        output = -1
    }

    /// Sends the child a signal.
    public func signal(_ number: Int32) { kill(identifier, number) }

    /// Sends a signal to the child and everything it started; it must lead a group, as under `setsid`.
    public func signalGroup(_ number: Int32) { kill(-identifier, number) }

    /// Waits until standard error contains a text.
    ///
    /// - Parameter reading: whether to read standard output meanwhile; otherwise a child that waits for its reader keeps waiting.
    public func waitForErrors(_ text: String, reading: Bool = true) throws {
        while !String(decoding: errorBytes, as: UTF8.self).contains(text) {
            guard errors >= 0 else { throw timedOut("its errors ended without \(text)") }
            try move(reading: reading)
        }
    }

    /// Waits until standard error satisfies a condition.
    public func waitForErrors(where isEnough: (String) -> Bool) throws {
        while !isEnough(String(decoding: errorBytes, as: UTF8.self)) {
            guard errors >= 0 else { throw timedOut("its errors ended too early") }
            try move()
        }
    }

    /// Reads the output so far, so that a child with much output does not wait for its reader, and gives it the input that waits.
    public func takeWhatIsThere() throws {
        while true {
            var watched = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            watched.append(
                pollfd(fd: waitingInput.isEmpty ? -1 : input, events: Int16(POLLOUT), revents: 0))
            guard unsafe poll(&watched, 3, 0) > 0 else { return }
            try move()
        }
    }

    /// The standard error of the child that was read so far.
    public var errorsSoFar: String { String(decoding: errorBytes, as: UTF8.self) }

    /// The standard output of the child that was read so far.
    public var outputSoFar: String { String(decoding: outputBytes, as: UTF8.self) }

    /// Whether the child has closed both of its outputs, as when it has ended; its output must have been read.
    public var hasEnded: Bool { output < 0 && errors < 0 }

    /// Waits until standard output contains a text.
    public func waitForOutput(_ text: String) throws {
        while !String(decoding: outputBytes, as: UTF8.self).contains(text) {
            guard output >= 0 else { throw timedOut("its output ended without \(text)") }
            try move()
        }
    }

    /// Waits until standard output satisfies a condition; returns all of it so far.
    public func waitForOutput(where isEnough: (String) -> Bool) throws -> String {
        while true {
            let text = String(decoding: outputBytes, as: UTF8.self)
            if isEnough(text) { return text }
            guard output >= 0 else { throw timedOut("its output ended too early") }
            try move()
        }
    }

    /// Lets no file of the child grow beyond a size from now on, like a full disk.
    public func limitFiles(to bytes: UInt64) throws {
        // The Glibc module hides the call; the program of the same name makes it.
        let outcome = try Self.run(
            "/usr/bin/env", arguments: ["prlimit", "--pid", "\(identifier)", "--fsize=\(bytes)"])
        guard outcome.exitCode == 0 else { throw SystemFailure("prlimit: \(outcome.errors)") }
    }

    /// Makes the pipe of standard output as small as the system allows, one page, so that the child soon waits for its reader.
    /// Call it immediately after the start.
    public func narrowOutput() { Self.narrow(output) }

    /// Makes the pipe of standard error small, like `narrowOutput`.
    public func narrowErrors() { Self.narrow(errors) }

    private static func narrow(_ pipe: Int32) {
        // F_SETPIPE_SZ, which the Glibc module hides.
        _ = fcntl(pipe, 1_031, 4_096)
    }

    /// Waits until the child has filled the pipe of its standard output and blocks.
    public func waitUntilOutputIsFull() throws { try waitUntilFull(output) }

    /// Waits until the child has filled the pipe of its standard error and blocks.
    public func waitUntilErrorsAreFull() throws { try waitUntilFull(errors) }

    /// Waits until no signal to the child is pending any more.
    public func waitUntilSignalsAreTaken() throws {
        while try status("ShdPnd").contains(where: { $0 != "0" }) {
            guard ContinuousClock.now < deadline else { throw timedOut("time is up") }
            sched_yield()
        }
    }

    /// Waits until the child sleeps with output in a pipe.
    private func waitUntilFull(_ pipe: Int32) throws {
        var watched = [pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)]
        while true {
            guard ContinuousClock.now < deadline else { throw timedOut("time is up") }
            // A main thread that sleeps with output in the pipe waits for the reader.
            if unsafe poll(&watched, 1, 1) == 1, try status("State").hasPrefix("S") { return }
        }
    }

    /// The peak memory of the child so far, in bytes, including pages of files.
    public func peakMemory() throws -> Int {
        (Int(try status("VmHWM").split(separator: " ").first ?? "") ?? 0) << 10
    }

    /// The present memory of the child, in bytes, including pages of files.
    public func memory() throws -> Int {
        (Int(try status("VmRSS").split(separator: " ").first ?? "") ?? 0) << 10
    }

    /// A line of the child's status in /proc.
    private func status(_ key: String) throws -> Substring {
        let text = String(decoding: try FileSystem.read("/proc/\(identifier)/status"), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") }
        return (line ?? "").dropFirst(key.count + 1).drop { $0 == " " || $0 == "\t" }
    }

    /// Waits for the end.
    public func finish() throws -> Outcome {
        while output >= 0 || errors >= 0 { try move() }
        var status: Int32 = 0
        _ = unsafe waitpid(identifier, &status, 0)
        isReaped = true
        return Outcome(
            output: String(decoding: outputBytes, as: UTF8.self),
            errors: String(decoding: errorBytes, as: UTF8.self),
            exitCode: status & 0x7f == 0 ? (status >> 8) & 0xff : nil)
    }

    // MARK: - Implementation details

    /// Waits until some stream is ready, and moves its bytes.
    private func move(reading: Bool = true) throws {
        closeFinishedInput()
        var watched = [
            pollfd(fd: reading ? output : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            pollfd(fd: waitingInput.isEmpty ? -1 : input, events: Int16(POLLOUT), revents: 0),
        ]
        let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
        guard left > 0, unsafe poll(&watched, 3, Int32(left.rounded(.up))) != 0 else {
            throw timedOut("time is up")
        }
        if watched[0].revents != 0 { Self.read(&output, into: &outputBytes) }
        if watched[1].revents != 0 { Self.read(&errors, into: &errorBytes) }
        if watched[2].revents != 0 { writeSome() }
    }

    private func closeFinishedInput() {
        guard closesInput, waitingInput.isEmpty, input >= 0 else { return }
        close(input)
        input = -1
    }

    private func writeSome() {
        let count = unsafe waitingInput.withUnsafeBytes {
            unsafe Glibc.write(input, $0.baseAddress, min($0.count, 1 << 16))
        }
        if count > 0 {
            waitingInput.removeFirst(count)
        } else if errno != EAGAIN, errno != EINTR {
            // The child no longer reads; the rest of the input is dropped.
            waitingInput = []
            closesInput = true
        }
    }

    private static func read(_ descriptor: inout Int32, into bytes: inout [UInt8]) {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
        if count > 0 { return bytes += chunk[..<count] }
        close(descriptor)
        descriptor = -1
    }

    private func timedOut(_ what: String) -> TimedOut {
        TimedOut(
            description:
                "\(what); output: \(String(decoding: outputBytes.prefix(2000), as: UTF8.self)) errors: "
                + String(decoding: errorBytes.prefix(2000), as: UTF8.self))
    }

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        // Writing to a child that has gone must fail instead of ending the tests.
        Glibc.signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
