// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// The crash records of a run: the ledger of past crashes, and the flight recorder for its own.
///
/// With a supervisor both come from it. Without one, a service keeps its flight recorder in a file, and inspects the one that the previous
/// host left there, as a supervisor would.
final class CrashLog: RunComponent, Sendable {
    /// The flight recorder of this run.
    let flightRecorder: FlightRecorder
    /// The file of the ledger.
    let ledger: CrashLedgerFile
    /// Whether a supervisor has started this run.
    let isSupervised: Bool
    /// The file of the flight recorder; nil where a supervisor owns it, or nobody would read it.
    private let file: FlightRecorderFile?

    /// Creates the log of a run; a premature end is reported accordingly from here on.
    ///
    /// - Parameters:
    ///   - link: the supervisor's file for the flight recorder; nil without a supervisor.
    ///   - isSuccessor: whether another host has the file of this name, until `takePlace`.
    init(link: Int32?, of configuration: RunConfiguration, isSuccessor: Bool = false) {
        ledger = CrashLedgerFile(beside: configuration.file.folder)
        isSupervised = link != nil
        file =
            link == nil && configuration.isService
            ? FlightRecorderFile(forHost: configuration.place.name, isSuccessor: isSuccessor) : nil
        flightRecorder = FlightRecorder(in: link ?? file?.descriptor)
        flightRecorder.watchCrashes()
        // One that prepared itself and failed may have left something there, and was no host yet.
        if !isSuccessor, let left = file?.left { note(left, configuration.supervise) }
        EndGuard.tell { [isSupervised] in $0.isSupervised = isSupervised }
    }

    /// Takes the place of the host before, which goes.
    func takePlace() { file?.takePlace() }

    /// The ledger as it is now.
    ///
    /// - Parameter released: the digest of a library whose quarantine is ignored; nil for none.
    func known(without released: String? = nil) -> CrashLedger {
        var (known, warning) = ledger.read()
        if let warning { StandardError.warn(warning) }
        // Only a supervisor knows that the inputs are still the same.
        if !isSupervised { known.forgetPlaces() }
        if let released { _ = known.release(released) }
        return known
    }

    /// Quarantines the libraries whose reducers failed on the past.
    func note(_ recovery: Recovery) { change { $0.note(recovery, at: Self.now) } }

    /// The crash counters; an unreadable ledger was reported at the start.
    var account: CrashAccount {
        ledger.read().ledger.account(restarts: isSupervised ? flightRecorder.restarts : nil)
    }

    /// Releases a library from quarantine.
    func release(_ digest: String) {
        change { $0.release(digest).map { "the plugin \($0.plugin) is out of quarantine" } }
    }

    /// Quarantines a library that has ended its worker too often.
    func quarantine(_ digest: String, of plugin: String, because reason: String) {
        change { ledger in
            [ledger.quarantine(digest, of: plugin, because: reason, at: Self.now)].compactMap { $0 }
        }
    }

    /// Changes the ledger, and reports the consequences.
    private func change(_ change: (inout CrashLedger) -> [String]) {
        ledger.change({ StandardError.tell($0, .warning) }, forgetsPlaces: !isSupervised, change)
    }

    /// The time in whole seconds since 1970.
    private static var now: Double { UnixTime.now.rounded(.down) }

    /// Records that the run ended well.
    func stop(_ code: ExitCode) -> ExitCode {
        file?.remove()
        return code
    }

    /// Records what the previous host left; a crash in a partition has no consequences.
    private func note(_ left: FlightRecorderFile.Left, _ rules: SuperviseConfiguration) {
        let death = left.death
        let cause = death.map { SignalName.of($0.signal) } ?? "unknown"
        let words = death.map { ": \($0.sentence)" } ?? left.activity.map { ", when \($0.sentence)" } ?? ""
        StandardError.tell("the previous host (process \(left.process)) has died\(words)", .error)
        let crash = CrashLedger.Crash(
            time: Self.now, cause: cause, account: death?.isSent == true ? nil : death)
        change { $0.note(crash, under: rules) }
    }
}
