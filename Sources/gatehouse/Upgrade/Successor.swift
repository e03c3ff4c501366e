// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
internal import Glibc

/// The process that is to go on for this host; ended with this value unless it has taken over.
final class Successor {
    /// Its process id.
    let process: pid_t
    /// The connection to it.
    let link: UpgradeLink
    /// Whether it has ended, and was waited for.
    private var isOver = false
    /// Whether it goes on when this value goes.
    private var isFree = false

    /// Starts a program that prepares to go on.
    ///
    /// - Parameters:
    ///   - start: what it gets, but for the connection.
    ///   - output: its standard output.
    init(_ start: HostStart, output: Int32) throws(SystemFailure) {
        let ends = try UpgradeLink.pair()
        defer { ends.other.close() }
        var start = start
        start.others.append((Predecessor.variable, ends.other.descriptor, ":\(getpid())"))
        do throws(SystemFailure) {
            let started = try Orphans.starting { () throws(SystemFailure) in try start.start(output: output) }
            (process, link) = (started, ends.own)
        } catch {
            ends.own.close()
            throw error
        }
    }

    deinit {
        guard !isFree else { return }
        link.close()
        _ = end()
    }

    /// Lets it go on when this process ends, until when the connection stays.
    func release() { isFree = true }

    /// Ends it, unless it has ended already; returns how it ended, as the rest of a sentence about it.
    func end() -> String {
        guard !isOver else { return "had ended" }
        isOver = true
        var status: Int32 = 0
        // One that has closed its end is about to end by itself, with a code that says why.
        let patience = ContinuousClock.now + .seconds(2)
        var ended = unsafe waitpid(process, &status, WNOHANG)
        while ended == 0, ContinuousClock.now < patience, isLeaving {
            usleep(1_000)
            ended = unsafe waitpid(process, &status, WNOHANG)
        }
        if ended == 0 {
            kill(process, SIGKILL)
            ended = unsafe waitpid(process, &status, 0)
            Orphans.ended(process)
            return "was ended"
        }
        Orphans.ended(process)
        let signal = status & 0x7f
        return signal == 0 ? "ended with code \(status >> 8 & 0xff)" : "died by \(SignalName.of(signal))"
    }

    /// Whether it has closed its end of the connection.
    private var isLeaving: Bool {
        var watched = pollfd(fd: link.descriptor, events: 0, revents: 0)
        _ = unsafe poll(&watched, 1, 0)
        return watched.revents & Int16(POLLHUP) != 0
    }
}
