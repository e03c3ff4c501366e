// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import GatehouseReload
import GatehouseRuntime

/// What a supervisor remembers of the deaths of a simulated host, and what follows from them; the ledger and its file are the real ones.
struct SimulatedSupervisor {
    /// What is remembered.
    private struct Memory {
        /// The ledger.
        var ledger = CrashLedger()
        /// How often each input has ended the host since it was given its number.
        var deaths: [UInt64: Int] = [:]
    }

    /// What the file contains.
    private var memory = Memory()
    /// What a power failure may leave there instead, because changes were told to have failed, or were cut off.
    private var others: [Memory] = []
    /// The file of the ledger, on a simulated disk.
    private let file: CrashLedgerFile
    /// The rules: a library is in quarantine after three crashes, an input is set aside after two.
    private let rules: SuperviseConfiguration
    /// What is wrong.
    private(set) var faults: [String] = []
    /// What it has met.
    private(set) var coverage = HostCoverage()

    /// A supervisor of a host that has not died.
    init(_ file: CrashLedgerFile) {
        self.file = file
        var rules = HostConfiguration().supervise
        rules.crashes = 3
        self.rules = rules
    }

    /// Why inputs are set aside, by number.
    var setAside: [UInt64: String] { memory.ledger.setAsideNumbers }

    /// Why the library of a form is in quarantine; nil where it is not.
    func quarantine(of form: Int) -> String? {
        memory.ledger.quarantine(of: SimulatedState.digest(form))?.reason
    }

    /// Takes note that the host has died, by somebody's fault where that is known; false where it was told that this cannot be written.
    mutating func note(_ culprit: FlightRecord?, at time: Double) -> Bool {
        let crash = CrashLedger.Crash(
            time: time, cause: culprit == nil ? "SIGKILL" : "SIGILL", account: culprit,
            isChance: culprit == nil)
        let (rules, before) = (rules, memory)
        let number = culprit?.input?.number
        let isWritten = change { memory in
            if let number { memory.deaths[number, default: 0] += 1 }
            return memory.ledger.note(crash, under: rules)
        }
        guard let culprit else { return isWritten }
        coverage.count("deaths by a plugin")
        if let digest = culprit.digest, before.ledger.quarantine(of: digest) != nil {
            faults.append("the library \(digest) has run in quarantine")
        }
        if let number, let count = memory.deaths[number], count > rules.deaths {
            faults.append("input \(number) has ended the host \(count) times")
        }
        return isWritten
    }

    /// Lets the library out; false where it was told that this cannot be written.
    mutating func release() -> Bool {
        var count = 0
        let isWritten = change { memory in
            count = memory.ledger.release("ledger").count
            // Its crashes are forgotten, and those of inputs by it.
            if count > 0 { memory.deaths = [:] }
            return []
        }
        coverage.count("releases from quarantine", UInt64(count))
        return isWritten
    }

    /// Changes what is remembered, in the file too; false where it was told that this cannot be written.
    private mutating func change(_ change: (inout Memory) -> [String]) -> Bool {
        let before = memory
        var after = memory
        var found: CrashLedger?
        var told: [String] = []
        file.change {
            told.append($0)
        } _: { known in
            found = known
            defer { known = after.ledger }
            return change(&after)
        }
        if found != before.ledger { faults.append("the crash ledger is not what was written") }
        let warnings = told.count { $0.hasPrefix("warning: ") }
        let news =
            max(0, after.ledger.quarantined.count - before.ledger.quarantined.count)
            + after.ledger.setAsideNumbers.count - before.ledger.setAsideNumbers.count
        if told.count - warnings != news { faults.append("\(told) tells \(news) decisions") }
        if warnings == 0 {
            (memory, others) = (after, [])
        } else {
            coverage.count("changes of the crash ledger that failed")
            others += [before, after]
            see()
        }
        coverage.count(
            "inputs set aside",
            UInt64(max(0, memory.ledger.setAsideNumbers.count - before.ledger.setAsideNumbers.count)))
        coverage.count(
            "quarantines", UInt64(max(0, memory.ledger.quarantined.count - before.ledger.quarantined.count)))
        return warnings == 0
    }

    /// Looks at the file after the end of the process or of the power, or a change that has failed.
    ///
    /// - Parameter isDecided: whether it is on the disk as it is.
    mutating func see(isDecided: Bool = false) {
        let (found, warning) = file.read()
        if let warning { faults.append(warning) }
        guard let known = ([memory] + others).first(where: { $0.ledger == found }) else {
            return faults.append("the crash ledger is neither what was written last nor what it was before")
        }
        if known.ledger != memory.ledger {
            coverage.count("crash ledgers that went back or on with the power")
        }
        memory = known
        if isDecided { others = [] }
    }
}
