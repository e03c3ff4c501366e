// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan

// The writers of a host, and its journal's turns.
extension HostSimulation {
    /// Sends an action, and takes note of whether it may be lost.
    mutating func send(_ number: Int, to host: SimulatedHost, isRepeated: Bool) {
        let isNamed = isRepeated || number % 4 > 0
        let action = SimulatedAction(number)
        let isThere = tape.with { $0.past.names.contains { $0.name == action.name } }
        let isTaken = host.accept(action, isNamed: isNamed)
        if isRepeated { coverage.count(isTaken ? "sent again and taken" : "sent again and known") }
        if isTaken, isThere { forgotten.insert(number) }
        guard isTaken else {
            if !isThere { fault("\(action.name) was lost, and is refused when it is sent again") }
            safe.insert(number)
            return
        }
        guard terms.mode == .strict else { return }
        host.handOver()
        if isNamed { sent.append(number) }
        let moment = tape.with { $0.past.moments.count - 1 }
        awaited.append((moment, number))
        if defect == .earlyAcknowledgement { tell(upTo: moment, host) }
    }

    /// Tells writers that their actions are safe.
    mutating func tell(upTo moment: Int, _ host: SimulatedHost) {
        while let first = awaited.first, first.moment <= moment {
            awaited.removeFirst()
            safe.insert(first.action)
            sent.removeAll { $0 == first.action }
        }
    }

    // MARK: - Turns of the journal

    /// Takes a turn of the thread that writes.
    mutating func write(_ host: SimulatedHost) {
        if host.isRecordWaiting { waitForRecord(of: host) }
        let time = clock.time
        tape.with { $0.past.write(at: time) }
        guard host.turns.write(), isAlive(host) else { return settle(host) }
        let isStrict = terms.mode == .strict
        tape.with { $0.past.commit(isSynced: isStrict) }
        coverage.count("transactions")
        settle(host)
    }

    /// Waits with the thread that writes for the state that the record of a generation has of the worker, while host and worker go on.
    private mutating func waitForRecord(of host: SimulatedHost) {
        var steps = 0
        while host.isCopying, isAlive(host) {
            if steps < 400 { actOnClerk(of: host) } else { host.driveWorkers(endingEffects: false) }
            steps += 1
        }
        host.isRecordWaiting = false
    }

    /// Lets go on what has waited for a transaction.
    mutating func settle(_ host: SimulatedHost) {
        let acknowledged = tape.with { content in
            defer { content.acknowledged = [] }
            return content.acknowledged.max()
        }
        guard let acknowledged else { return }
        tell(upTo: acknowledged, host)
        let input = tape.with { $0.past.moments[acknowledged].input }
        if isAlive(host) { host.dispatchCommitted(upTo: input) }
    }

    /// Takes a turn of the thread that syncs and writes back.
    mutating func maintain(_ host: SimulatedHost) {
        _ = host.turns.maintain()
        if isAlive(host) { tape.with { $0.past.sync() } }
    }
}
