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

    /// Finds out how a host has died of a signal.
    ///
    /// - Parameter kills: how many processes the system had ended for want of memory when it was started.
    init(of host: SupervisedHost, signal: Int32, after kills: Int) {
        let name = SignalName.of(signal)
        if let hung = host.hung {
            (cause, words, account, sentence) = ("hung", "\(name), because it hung", hung, nil)
        } else if let death = host.box.death {
            cause = name
            words = death.isSent ? "\(name), which another process has sent" : name
            account = death.isSent ? nil : death
            sentence = nil
        } else if signal == SIGKILL {
            let isStarved = MemoryKills.count > kills
            cause = isStarved ? "memory" : name
            words =
                isStarved ? "\(name), because memory was short" : "\(name), which another process has sent"
            let activity = host.box.activity
            account = isStarved ? activity : nil
            sentence = activity.map { "it ended when \($0.sentence)" }
        } else {
            (cause, words, account) = (name, name, nil)
            sentence = "nobody knows whose code ran when the host died by \(name)"
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

/// How many processes the system has ended because memory was short, since it was started.
enum MemoryKills {
    /// The number now; 0 where it is not told.
    static var count: Int {
        guard let bytes = try? SystemFile.bytes(of: "/proc/vmstat", limit: 1 << 20) else { return 0 }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("oom_kill ")
        }
        return line.flatMap { Int($0.dropFirst("oom_kill ".count)) } ?? 0
    }
}
