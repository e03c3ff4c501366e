// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
private import Glibc

/// How a host has died, and who did it.
struct HostDeath {
    /// What ended it, such as `SIGILL` or `hung`.
    let cause: String
    /// The same with what is known of it.
    let words: String
    /// Who did it; nil where nobody is known, or somebody from outside has done it.
    let account: BoxAccount?
    /// What there is to tell that the host has not told itself; nil for nothing.
    let sentence: String?

    /// Whether no rule of the supervisor brings such deaths to an end: nobody is to blame, or it was in a partition of a cluster.
    var leadsToNothing: Bool { account?.store != .host }

    /// The signals by which code ends its own process.
    private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS]

    /// Finds out how a host has died of a signal.
    ///
    /// - Parameter kills: how many processes the system had ended for want of memory when it was started; nil where nobody tells.
    init(of host: SupervisedHost, signal: Int32, after kills: MemoryKills?) {
        let name = SignalName.of(signal)
        if let hung = host.hung {
            (cause, words, account, sentence) = ("hung", "\(name), because it hung", hung, nil)
        } else if let death = host.box.death {
            cause = name
            words = death.isSent ? "\(name), which another process has sent" : name
            account = death.isSent ? nil : death
            sentence = nil
        } else if signal == SIGKILL {
            let activity = host.box.lastActivity
            let now = MemoryKills.now
            switch now?.scope {
            case .group? where now?.isMore(than: kills) == true:
                cause = "memory"
                words = "\(name), because its control group was short of memory"
                account = activity
            case .system? where now?.isMore(than: kills) == true:
                // It may have been another process.
                cause = "memory"
                words =
                    "\(name), most likely because memory was short: the system has ended a process for that"
                account = nil
            default: (cause, words, account) = (name, "\(name), which another process has sent", nil)
            }
            sentence = activity.map { "the host ended when \($0.sentence)" }
        } else if !Self.faults.contains(signal) {
            (cause, words, account) = (name, name, nil)
            sentence = "nobody knows who has ended the host by \(name)"
        } else {
            account = host.box.suspect
            (cause, words) = (name, name)
            sentence =
                account.map { "the host died by \(name) and could not say more, when \($0.sentence)" }
                ?? "the host died by \(name) and could not say more; nobody knows whose code it was"
        }
    }

    /// The entry for the ledger.
    var crash: CrashLedger.Crash {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return CrashLedger.Crash(
            time: Double(time.tv_sec) + Double(time.tv_nsec / 1_000_000) / 1e3, cause: cause, account: account
        )
    }
}
