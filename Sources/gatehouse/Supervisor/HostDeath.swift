// SPDX-License-Identifier: Apache-2.0

internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSupport
private import Glibc

/// How a host died, and who caused it.
struct HostDeath {
    /// What ended it, such as `SIGILL` or `hung`.
    let cause: String
    /// What happened to it, as the rest of a sentence about the host.
    let words: String
    /// The culprit; nil where it is unknown, or outside the host.
    let account: FlightRecord?
    /// What the host has not reported itself; nil for nothing.
    let sentence: String?
    /// Whether only repetition would implicate the culprit.
    private var isChance = false

    /// Whether no rule of the supervisor can stop such deaths: there is no culprit, or it was in a partition of a cluster.
    var leadsToNothing: Bool { isChance || account?.store != .host }

    /// The signals by which code ends its own process.
    private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS]

    /// Determines how a host died of a signal.
    ///
    /// - Parameter kills: how many processes the system had killed for lack of memory when the host was started; nil if unknown.
    init(of host: SupervisedHost, signal: Int32, after kills: MemoryKills?) {
        let name = SignalName.of(signal)
        if let hang = host.hang {
            (cause, account, sentence) = ("hung", hang.account, nil)
            words = "died by \(name), because it hung"
        } else if let death = host.flightRecorder.death {
            cause = name
            words = death.isSent ? "died by \(name), which another process sent" : "died by \(name)"
            account = death.isSent ? nil : death
            sentence = nil
        } else if signal == SIGKILL {
            let activity = host.flightRecorder.lastActivity
            let now = MemoryKills.now
            switch now?.scope {
            case .group? where now?.isMore(than: kills) == true:
                cause = "memory"
                words = "died by \(name), because its control group was short of memory"
                account = activity
            case .system? where now?.isMore(than: kills) == true:
                // It may have killed another process.
                cause = "memory"
                words =
                    "died by \(name), most likely because memory was short: the system killed a process for that"
                account = nil
            default:
                cause = name
                // The sender is unknown, and may be a plugin that ended its own process.
                let isBusy = activity != nil || host.flightRecorder.suspect != nil
                words =
                    isBusy
                    ? "died by \(name), which another process or a plugin sent"
                    : "died by \(name), which another process sent"
                account = activity
                isChance = true
            }
            sentence = activity.map { "the host ended when \($0.sentence)" }
        } else if !Self.faults.contains(signal) {
            (cause, account) = (name, nil)
            words = "died by \(name)"
            sentence = "it is unknown who ended the host by \(name)"
        } else {
            account = host.flightRecorder.suspect
            (cause, words) = (name, "died by \(name)")
            sentence =
                account.map { "the host died by \(name) and left no details, when \($0.sentence)" }
                ?? "the host died by \(name) and left no details; it is unknown whose code it was"
        }
    }

    /// Determines how a host died that exited without announcing it.
    init(of host: SupervisedHost, exitCode code: Int32) {
        words = "exited with code \(code), and not by itself"
        if let hang = host.hang {
            (cause, account, sentence) = ("hung", hang.account, nil)
        } else if let death = host.flightRecorder.death {
            cause = death.end == .descriptors ? "closed descriptors" : "exit"
            account = death
            // Its own standard error may have been closed too.
            sentence = death.end == .descriptors ? death.sentence : nil
        } else {
            cause = "exit"
            account = host.flightRecorder.suspect
            sentence =
                account.map { "something ended the host when \($0.sentence)" }
                ?? "something ended the host; it is unknown whose code it was"
        }
    }

    /// The entry for the ledger.
    var crash: CrashLedger.Crash {
        CrashLedger.Crash(
            time: (UnixTime.now * 1_000).rounded(.down) / 1_000, cause: cause, account: account,
            isChance: isChance)
    }
}
