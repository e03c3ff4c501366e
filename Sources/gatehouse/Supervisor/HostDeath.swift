// SPDX-License-Identifier: Apache-2.0

internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSupport
private import Glibc

/// How a host died, and who caused it.
struct HostDeath {
    /// What ended it, such as `SIGILL` or `hung`.
    private(set) var cause: String
    /// What happened to it, as the rest of a sentence about the host.
    private(set) var words: String
    /// The culprit; nil where it is unknown, or outside the host.
    private(set) var account: FlightRecord?
    /// What the host has not reported itself; nil for nothing.
    private(set) var sentence: String?
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
        (cause, words) = (name, "died by \(name)")
        if let hang = host.hang {
            (cause, account) = ("hung", hang.account)
            words += ", because it hung"
        } else if let death = host.flightRecorder.death {
            if death.isSent { words += ", which another process sent" } else { account = death }
        } else if signal == SIGKILL {
            let activity = host.flightRecorder.lastActivity
            sentence = activity.map { "the host ended when \($0.sentence)" }
            let now = MemoryKills.now
            switch now?.scope {
            case .group? where now?.isMore(than: kills) == true:
                (cause, account) = ("memory", activity)
                words += ", because its control group was short of memory"
            case .system? where now?.isMore(than: kills) == true:
                // It may have killed another process.
                cause = "memory"
                words += ", most likely because memory was short: the system killed a process for that"
            default:
                // The sender is unknown, and may be a plugin that ended its own process.
                (account, isChance) = (activity, true)
                let isBusy = activity != nil || host.flightRecorder.suspect != nil
                words += ", which another process \(isBusy ? "or a plugin " : "")sent"
            }
        } else if !Self.faults.contains(signal) {
            sentence = "it is unknown who ended the host by \(name)"
        } else {
            account = host.flightRecorder.suspect
            sentence =
                account.map { "the host died by \(name) and left no details, when \($0.sentence)" }
                ?? "the host died by \(name) and left no details; it is unknown whose code it was"
        }
    }

    /// Determines how a host died that exited without announcing it.
    init(of host: SupervisedHost, exitCode code: Int32) {
        (cause, words) = ("exit", "exited with code \(code), and not by itself")
        if let hang = host.hang {
            (cause, account) = ("hung", hang.account)
        } else if let death = host.flightRecorder.death {
            account = death
            // Its own standard error may have been closed too.
            if death.end == .descriptors { (cause, sentence) = ("closed descriptors", death.sentence) }
        } else {
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
