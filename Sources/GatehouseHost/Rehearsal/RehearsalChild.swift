// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// A child of the host that tries the plugins of one job, from its start to its end.
///
/// It is the host's own program with a command of its own, never a copy of the running process: nothing of the host is in
/// it, and no descriptor but those that it needs. Used on one thread.
final class RehearsalChild {
    /// What it needs and what it leaves.
    struct Outcome {
        /// What it told, in order.
        var messages: [RehearsalMessage] = []
        /// How it ended.
        var end = RehearsalEnd.finished
        /// What it and the plugins wrote, or the end of that.
        var words = ""
    }

    /// The process.
    private let process: pid_t
    /// Readable when it has ended; -1 where the system cannot tell.
    private let ending: Int32
    /// Where it tells what it does.
    private let messages: Int32
    /// Where it and the plugins write everything else.
    private let words: Int32

    /// Starts a program as a child that does a job.
    ///
    /// - Parameters:
    ///   - program: the host's own program.
    ///   - images: descriptors that the child finds images at.
    ///   - tracesCalls: whether it says where it died, which takes a moment.
    /// - Throws: what the system refused, in words.
    init(_ program: String, job: [UInt8], images: [Int32], tracesCalls: Bool) throws(RehearsalFailure) {
        let input = try Self.file(with: job)
        defer { close(input) }
        let (messages, telling) = try Self.pipe()
        let (words, writing) = try Self.pipe()
        defer { for end in [telling, writing] { close(end) } }
        let inherited = [
            (input, STDIN_FILENO), (writing, STDOUT_FILENO), (writing, STDERR_FILENO), (telling, telling),
        ]
        do throws(RehearsalFailure) {
            process = try Self.spawn(
                program, ["gatehouse", "rehearse", "\(telling)", "\(getpid())"],
                inheriting: inherited + images.map { ($0, $0) }, tracesCalls: tracesCalls)
        } catch {
            for end in [messages, words] { close(end) }
            throw error
        }
        ending = gatehouse_open_process(process)
        self.messages = messages
        self.words = words
    }

    deinit {
        // What plugins have started there goes too.
        kill(-process, SIGKILL)
        for end in [messages, words, ending] where end >= 0 { close(end) }
    }

    /// Follows the child to its end.
    ///
    /// - Parameters:
    ///   - limit: how long one step may take.
    ///   - stop: ends the child when it becomes readable; nil for nothing.
    func follow(limit: Duration, stop: Int32?) -> Outcome {
        var outcome = Outcome()
        var listener = LineListener()
        var deadline = ContinuousClock.now.advanced(by: limit)
        var (isTelling, isWriting) = (true, true)
        // What its end means when it is asked to say where it hangs; nil before.
        var overdue: RehearsalEnd?
        while true {
            var watched = [isTelling ? messages : -1, isWriting ? words : -1, ending, stop ?? -1].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            // Where nothing tells of its end, it is looked for.
            let wait = max(0, min(left.rounded(.up), ending < 0 ? 10 : 60_000))
            _ = unsafe poll(&watched, nfds_t(watched.count), Int32(wait))
            let status = status()
            // Looked at after the status: whatever it told before its end is there then.
            if isTelling {
                let (lines, goesOn) = listener.lines(from: messages)
                let new = lines.compactMap { RehearsalMessage(line: $0) }
                if !new.isEmpty { deadline = ContinuousClock.now.advanced(by: limit) }
                outcome.messages += new
                isTelling = goesOn
            }
            if isWriting {
                let (text, goesOn) = LineListener.text(from: words)
                outcome.words = Self.kept(outcome.words + text)
                isWriting = goesOn
            }
            if let status {
                outcome.end = Self.end(status, outcome.messages.last, overdue)
                return outcome
            }
            if watched[3].revents != 0 {
                outcome.end = .stopped
                finish()
                return outcome
            }
            if let overdue {
                // It goes on when it has said where it is.
                guard ContinuousClock.now >= deadline || Backtrace.isWhole(in: outcome.words) else {
                    continue
                }
                outcome.end = overdue
                finish()
                return outcome
            }
            if ContinuousClock.now >= deadline {
                overdue = isTelling ? .hung(limit) : .silent
                kill(process, SIGABRT)
                deadline = ContinuousClock.now.advanced(by: Self.lastWords)
            }
        }
    }

    // MARK: - Implementation details

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

    /// Ends it, whatever it does.
    private func finish() {
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }

    /// What a status means.
    ///
    /// - Parameter overdue: what it means that it was asked to say where it hangs; nil when it was not asked.
    private static func end(
        _ status: Int32, _ last: RehearsalMessage?, _ overdue: RehearsalEnd?
    ) -> RehearsalEnd {
        let signal = status & 0x7f
        if let overdue, signal == SIGABRT { return overdue }
        if signal != 0 { return .signal(signal) }
        if last == .end { return .finished }
        let code = status >> 8 & 0xff
        return code == EX_IOERR ? .silent : .exit(code)
    }

    /// A file in memory, to be read from its start.
    private static func file(with bytes: [UInt8]) throws(RehearsalFailure) -> Int32 {
        let file = unsafe gatehouse_memfd_create("rehearsal")
        guard file >= 0 else { throw RehearsalFailure("memfd_create", code: -file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
            guard count > 0 else {
                defer { close(file) }
                throw RehearsalFailure("write", code: errno)
            }
            rest = rest.dropFirst(count)
        }
        lseek(file, 0, SEEK_SET)
        return file
    }

    /// A pipe whose reading end does not block; programs that others start get neither end.
    private static func pipe() throws(RehearsalFailure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw RehearsalFailure("pipe", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    /// Starts a program in a process group of its own, so that what a terminal sends to the host does not reach it.
    private static func spawn(
        _ program: String, _ words: [String], inheriting descriptors: [(Int32, Int32)], tracesCalls: Bool
    ) throws(RehearsalFailure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (from, to) in descriptors { unsafe posix_spawn_file_actions_adddup2(&actions, from, to) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        var vector = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe vector.forEach { unsafe free($0) } }
        var surroundings = unsafe environment(tracesCalls: tracesCalls).map { unsafe strdup($0) } + [nil]
        defer { unsafe surroundings.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, program, &actions, &attributes, &vector, &surroundings)
        guard failure == 0 else { throw RehearsalFailure("posix_spawn", code: failure) }
        return process
    }

    /// The environment of this process, in which the Swift runtime is told what to say at the end.
    ///
    /// What an operator has set for it stays.
    private static func environment(tracesCalls: Bool) -> [String] {
        var all: [String] = []
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            unsafe all.append(String(cString: text))
            unsafe entry += 1
        }
        let name = Backtrace.setting.name + "="
        if all.contains(where: { $0.hasPrefix(name) }) { return all }
        return all + [name + (tracesCalls ? Backtrace.setting.value : "enable=no")]
    }
}
