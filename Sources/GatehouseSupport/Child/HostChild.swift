// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// A child of the host that runs code of plugins for one request, from its start to its end.
///
/// It is the host's own program, or that of an installed version, with a command of its own, never a copy of the running process: nothing
/// of the host is in it, and no descriptor but those that it needs. The first line that it tells names its protocol, and is followed by
/// no other where that is not this program's; the last one is `end`. Used on one thread.
package final class HostChild {
    /// What it needs and what it leaves.
    package struct Outcome {
        /// The lines that it told, in order.
        package var lines: [String] = []
        /// The way in which the child ended.
        package var end = ChildEnd.finished
        /// What it and the plugins wrote, or the end of that.
        package var words = ""
    }

    /// What a child may take.
    package struct Limits {
        /// How long it may take.
        package let time: Duration
        /// Whether each line that it tells gives it that time anew.
        package var isRenewed: Bool
        /// How much memory it may have, in bytes; nil for any.
        package var memory: Int?
        /// How many of its last lines are kept; nil for all.
        package var keepsLines: Int?

        /// Bounds for a child; lines renew its time unless it is told otherwise.
        package init(
            time: Duration, isRenewed: Bool = true, memory: Int? = nil, keepsLines: Int? = nil
        ) {
            self.keepsLines = keepsLines
            self.time = time
            self.isRenewed = isRenewed
            self.memory = memory
        }
    }

    /// The program of this process, which is also that of its children unless they are of another version.
    package static let ownProgram = "/proc/self/exe"

    /// The last line of a child that has done everything.
    package static let lastLine = "end"

    /// The process number of the child.
    package let process: Int32
    /// Readable when it has ended; -1 where the system cannot tell.
    private let ending: Int32
    /// Where it tells what it does.
    private let messages: Int32
    /// Where it and the plugins write everything else.
    private let words: Int32
    /// Whether it says where it died.
    private let tracesCalls: Bool
    /// Where it keeps what it needs for a time.
    private let scratch: ScratchFolder
    /// Limits and measures it; nil where nothing does that but `setrlimit`. Goes after the process.
    private let group: ControlGroup?

    /// Starts a program as a child that carries out a request.
    ///
    /// - Parameters:
    ///   - program: the host's own program, or that of an installed version.
    ///   - task: what it is to do; it is given the descriptor to tell through and the number of this process.
    ///   - request: what it finds on standard input.
    ///   - images: descriptors that the child finds images at.
    ///   - access: the files that it may reach.
    ///   - memory: the most bytes of memory that it may take; nil for any number.
    ///   - group: the control group that it enters before it does anything else; nil for that of this process.
    ///   - tracesCalls: whether it says where it died, which takes a moment.
    /// - Throws: what the system refused, in words.
    package init(
        _ program: String, _ task: ChildTask, request: [UInt8], images: [Int32],
        access: FileAccess = FileAccess(),
        memory: Int? = nil, group: ControlGroup? = nil, tracesCalls: Bool
    ) throws(ChildFailure) {
        let scratch = try ScratchFolder()
        (self.scratch, self.group) = (scratch, group)
        let entrance = group.map(\.entrance)
        let confinement = try Confinement()?.granting(access)
        let input: Int32
        do throws(SystemFailure) { input = try MemoryFile.make("job", holding: request) } catch {
            throw ChildFailure(ofMemory: error)
        }
        defer { close(input) }
        let (messages, telling) = try Self.pipe()
        let (words, writing) = try Self.pipe()
        defer { for end in [telling, writing] { close(end) } }
        let inherited = [
            (input, STDIN_FILENO), (writing, STDOUT_FILENO), (writing, STDERR_FILENO), (telling, telling),
        ]
        do throws(ChildFailure) {
            process = try Orphans.starting { () throws(ChildFailure) in
                try Self.spawn(
                    program,
                    ChildProtocol.words(tellingTo: telling) + [
                        task.rawValue, "\(getpid())" + (entrance.map { ":\($0)" } ?? ""),
                        ([telling] + images).map { "\($0)" }.joined(separator: ","),
                    ] + (confinement?.words ?? []),
                    inheriting: inherited + (images + [entrance].compactMap(\.self)).map { ($0, $0) },
                    environment: Self.environment(
                        scratch.path, isConfined: confinement != nil, tracesCalls: tracesCalls))
            }
            // A confined process may not limit others; its children inherit its own bounds.
            if let memory, !Confinement.isInForce { try Self.limit(process, to: memory) }
        } catch {
            for end in [messages, words] { close(end) }
            throw error
        }
        ending = gatehouse_open_process(process)
        self.messages = messages
        self.words = words
        self.tracesCalls = tracesCalls
    }

    deinit {
        // What plugins have started there goes too.
        kill(-process, SIGKILL)
        Orphans.ended(process)
        for end in [messages, words, ending] where end >= 0 { close(end) }
    }

    /// Follows the child to its end.
    ///
    /// - Parameters:
    ///   - limits: what it may take.
    ///   - stop: ends the child when it becomes readable; nil for nothing.
    ///   - onWords: called with what it writes to its standard output and errors, as that comes.
    ///   - isEvent: whether a line is one that such a child writes; others are left out. It is not asked about the first line.
    package func follow(
        _ limits: Limits, stop: Int32?, onWords: (String) -> Void = { _ in }, isEvent: (Substring) -> Bool
    ) -> Outcome {
        var outcome = Outcome()
        var listener = LineListener()
        var deadline = ContinuousClock.now.advanced(by: limits.time)
        var (isTelling, isWriting, hasGreeted) = (true, true, false)
        // What its end means when it is asked to say where it hangs; nil before.
        var overdue: ChildEnd?
        func ended(_ end: ChildEnd) -> Outcome {
            finish()
            outcome.end = end
            return outcome
        }
        while true {
            var watched = [isTelling ? messages : -1, isWriting ? words : -1, ending, stop ?? -1].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            // Where nothing tells of its end, or of its memory, it is looked for.
            let pause: Double = ending < 0 ? 10 : limits.memory == nil ? 60_000 : 25
            _ = unsafe poll(&watched, nfds_t(watched.count), Int32(max(0, min(left.rounded(.up), pause))))
            let status = status()
            // Looked at after the status: whatever it told before its end is there then.
            if isTelling {
                var (lines, goesOn) = listener.lines(from: messages)
                if !hasGreeted, !lines.isEmpty {
                    hasGreeted = true
                    let number = ChildProtocol.number(in: lines.removeFirst())
                    guard number == ChildProtocol.number else {
                        outcome.end = .stranger(number)
                        if status == nil { finish() }
                        return outcome
                    }
                }
                let new = lines.filter(isEvent)
                if !new.isEmpty, limits.isRenewed, overdue == nil {
                    deadline = ContinuousClock.now.advanced(by: limits.time)
                }
                outcome.lines += new.map(String.init)
                if let kept = limits.keepsLines {
                    outcome.lines.removeFirst(max(0, outcome.lines.count - kept))
                }
                isTelling = goesOn
            }
            if isWriting {
                let (text, goesOn) = LineListener.text(from: words)
                if !text.isEmpty { onWords(text) }
                outcome.words = Self.kept(outcome.words + text)
                isWriting = goesOn
            }
            if let status {
                outcome.end = Self.end(status, outcome.lines.last, overdue)
                if outcome.end == .signal(SIGKILL), let end = group?.memoryEnd { outcome.end = end }
                return outcome
            }
            if watched[3].revents != 0 {
                return ended(.stopped)
            }
            if let memory = limits.memory, overdue == nil,
                let use = ProcessUse(of: process), use.memory > memory
            {
                return ended(.grown(memory))
            }
            if let overdue {
                // It goes on when it has said where it is.
                guard ContinuousClock.now >= deadline || Backtrace.isWhole(in: outcome.words) else {
                    continue
                }
                return ended(overdue)
            }
            if ContinuousClock.now >= deadline {
                overdue = isTelling ? .hung(limits.time) : .silent
                kill(process, SIGABRT)
                deadline = ContinuousClock.now.advanced(by: tracesCalls ? Self.lastWords : .milliseconds(100))
            }
        }
    }

    // MARK: - Implementation details

    /// Limits the memory of a process, and ends it where that cannot be done.
    private static func limit(_ process: pid_t, to memory: Int) throws(ChildFailure) {
        let result = gatehouse_limit_memory(process, UInt(memory))
        guard result != 0 else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        Orphans.ended(process)
        throw ChildFailure("prlimit", code: -result)
    }

    /// How long a child may take to say where it hangs.
    private static let lastWords = Duration.seconds(6)

    /// How much of what it writes is kept, in characters.
    private static let keptWords = 1 << 16

    /// The end of a text, if it is too long to be kept.
    private static func kept(_ text: String) -> String {
        text.utf8.count > 2 * keptWords ? String(text.suffix(keptWords)) : text
    }

    /// What the system says of its end; nil while it goes on.
    private func status() -> Int32? {
        var status: Int32 = 0
        return unsafe waitpid(process, &status, WNOHANG) == process ? status : nil
    }

    /// Ends it, whatever it does; a confined process may not, and its host ends both by their group.
    private func finish() {
        guard kill(process, SIGKILL) == 0 || errno != EPERM else { return }
        while waitpid(process, nil, 0) == -1, errno == EINTR {}
    }

    /// What a status means.
    ///
    /// - Parameter overdue: what it means that it was asked to say where it hangs; nil when it was not asked.
    private static func end(
        _ status: Int32, _ last: String?, _ overdue: ChildEnd?
    ) -> ChildEnd {
        let signal = status & 0x7f
        if let overdue, signal == SIGABRT { return overdue }
        if signal != 0 { return .signal(signal) }
        if last == lastLine { return .finished }
        let code = status >> 8 & 0xff
        return code == EX_IOERR ? .silent : .exit(code)
    }

    /// A pipe whose reading end does not block; programs that others start get neither end.
    private static func pipe() throws(ChildFailure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw ChildFailure("pipe", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    /// Starts a program in a process group of its own, so that what a terminal sends to the host does not reach it; that of a confined
    /// process stays in the group by which the host ends it.
    private static func spawn(
        _ program: String, _ words: [String], inheriting descriptors: [(Int32, Int32)],
        environment: [String]
    ) throws(ChildFailure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (from, to) in descriptors { unsafe posix_spawn_file_actions_adddup2(&actions, from, to) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        let group = Confinement.isInForce ? 0 : POSIX_SPAWN_SETPGROUP
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(group | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        var vector = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe vector.forEach { unsafe free($0) } }
        var surroundings = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe surroundings.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, program, &actions, &attributes, &vector, &surroundings)
        guard failure == 0 else { throw ChildFailure("posix_spawn", code: failure) }
        return process
    }

    /// What a child sees of the environment of this process, with another folder for temporary files, in which the Swift runtime is
    /// told what to say at the end.
    ///
    /// What an operator has set for the runtime stays.
    private static func environment(_ folder: String, isConfined: Bool, tracesCalls: Bool) -> [String] {
        let inherited = SystemFile.environment
        let seen = isConfined ? ChildEnvironment.visible(of: inherited) : inherited
        let variable = ScratchFolder.variable + "="
        let all = seen.filter { !$0.hasPrefix(variable) } + [variable + folder]
        let name = Backtrace.setting.name + "="
        if all.contains(where: { $0.hasPrefix(name) }) { return all }
        return all + [name + (tracesCalls ? Backtrace.setting.value : "enable=no")]
    }
}
