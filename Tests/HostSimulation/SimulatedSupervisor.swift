// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import GatehouseReload
import GatehouseRuntime

/// What a supervisor remembers of the deaths of a simulated host, and what follows from them; the ledger is the real one.
struct SimulatedSupervisor {
    /// Remembers crashes, and decides.
    private(set) var ledger = CrashLedger()
    /// The rules: a library is in quarantine after three crashes, an input is set aside after two.
    let rules: SuperviseConfiguration
    /// How often each input has ended the host since it was given its number.
    private var deaths: [UInt64: Int] = [:]
    /// What is wrong.
    private(set) var faults: [String] = []
    /// What it has met.
    private(set) var coverage = HostCoverage()

    /// A supervisor of a host that has not died.
    init() {
        var rules = HostConfiguration().supervise
        rules.crashes = 3
        self.rules = rules
    }

    /// Why inputs are set aside, by number.
    var setAside: [UInt64: String] { ledger.setAsideNumbers }

    /// Why the library of a form is in quarantine; nil where it is not.
    func quarantine(of form: Int) -> String? {
        ledger.quarantine(of: SimulatedState.digest(form))?.reason
    }

    /// Takes note that the host has died, by somebody's fault where that is known.
    mutating func note(_ culprit: FlightRecord?, at time: Double) {
        let before = ledger
        let told = ledger.note(
            CrashLedger.Crash(
                time: time, cause: culprit == nil ? "SIGKILL" : "SIGILL", account: culprit,
                isChance: culprit == nil), under: rules)
        let news =
            ledger.quarantined.count - before.quarantined.count + ledger.setAsideNumbers.count
            - before.setAsideNumbers.count
        if told.count != news { faults.append("\(told.count) sentences tell \(news) decisions") }
        guard let culprit else { return }
        coverage.count("deaths by a plugin")
        coverage.count(
            "inputs set aside", UInt64(ledger.setAsideNumbers.count - before.setAsideNumbers.count))
        coverage.count("quarantines", UInt64(ledger.quarantined.count - before.quarantined.count))
        if let digest = culprit.digest, before.quarantine(of: digest) != nil {
            faults.append("the library \(digest) has run in quarantine")
        }
        guard let number = culprit.input?.number else { return }
        deaths[number, default: 0] += 1
        if let count = deaths[number], count > rules.deaths {
            faults.append("input \(number) has ended the host \(count) times")
        }
    }

    /// Lets the library out.
    mutating func release() {
        let released = ledger.release("ledger")
        coverage.count("releases from quarantine", UInt64(released.count))
        // Its crashes are forgotten, and those of inputs by it.
        if !released.isEmpty { deaths = [:] }
    }
}
