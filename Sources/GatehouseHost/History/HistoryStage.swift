// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSDK
private import Glibc

/// Tries a configuration on the past, in a child of the host, and tells each action before it dispatches it.
public enum HistoryStage {
    /// Reads a job from standard input, does it, and ends the process.
    ///
    /// - Parameters:
    ///   - descriptor: where the host listens.
    ///   - host: the process that listens.
    public static func perform(tellingTo descriptor: Int32, of host: Int32) -> Never {
        guard gatehouse_end_with_parent(host) == 0,
            let bytes = try? SystemFile.bytes(of: "/proc/self/fd/0", limit: .max),
            let job = HistoryJob(bytes: bytes)
        else { _exit(EX_DATAERR) }
        // What a plugin reads there is meant for nobody.
        let nothing = unsafe open("/dev/null", O_RDONLY)
        if nothing >= 0 { dup2(nothing, STDIN_FILENO) }
        // As in a run.
        _ = gatehouse_outlive(SIGPIPE)
        let voice = ChildVoice(descriptor: descriptor)
        voice.tell(result(of: job) { voice.tell($0.line) }.line)
        voice.tell(HistoryMessage.end.line)
        // As the host ends: without what libraries do at the end of a process.
        _exit(EXIT_SUCCESS)
    }

    /// Does a job, and gives what came of it.
    private static func result(
        of job: HistoryJob, _ tell: (HistoryMessage) -> Void
    ) -> HistoryMessage {
        let trust = FileTrust(isStrict: job.source.isStrict)
        let read: ConfigurationOutcome
        do {
            read =
                job.source.isFolder
                ? ConfigurationOutcome(of: HostConfiguration(directory: job.source.path))
                : ConfigurationParser.parse(
                    try SystemFile.bytes(of: job.source.path, limit: 64 << 20), file: job.source.path)
        } catch {
            return .failure(["\(job.source.path): \(error)"])
        }
        let plan = Planner(trust: trust, baseDirectory: job.source.base).plan(read)
        if let failure = plan.failure { return .failure(failure.all.map(\.description)) }
        let replay = Replay(
            of: plan, against: .state(job.state), journal: job.source.journal,
            images: ImageCache(folder: CacheFolder.current, trust: trust))
        do throws(PastHost.Failure) {
            let outcome = try replay.run(to: job.last, last: UInt64(job.count)) {
                tell(.step(sequence: $0.sequence, type: $0.type, origin: $0.origin))
            }
            return .outcome(isSame: outcome.isSame, lines: outcome.lines)
        } catch {
            return .failure(error.sentences)
        }
    }
}
