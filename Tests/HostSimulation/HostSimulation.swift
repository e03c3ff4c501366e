// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseJournal
package import GatehousePlan
import GatehouseReload
import GatehouseRuntime
import GatehouseSupport
import SeededTesting

/// The durable life of a host, from one death to the next, on a simulated disk and clock; a seed determines every random event.
///
/// Everything runs on the calling thread.
package struct HostSimulation {
    /// How many lives a host has, and how many turns are in one at most.
    private static let (lives, turns) = (5, 50)
    /// How long names are known, in seconds.
    private static let window = 600.0

    /// The disk, with all that befalls it.
    let disk: SimulatedDisk
    /// The clocks.
    let clock = SimulatedClock()
    /// What the journal must have.
    let tape = HostTape()
    /// How each life is set up.
    let terms: SimulatedHost.Terms
    /// Where backups are made, on another disk.
    let backupPath: String
    /// What the last backup has; nil before there is one.
    var backup: SimulatedBackup?
    /// What is planted; nil for nothing.
    let defect: Defect?
    /// The source of chance.
    var generator: SeededGenerator
    /// Survives the host.
    var supervisor: SimulatedSupervisor
    /// The number of the next action.
    var nextAction: Int
    /// The named actions that no writer was told to be safe, in the order in which they were sent; and those that were.
    var sent: [Int] = []
    var safe: Set<Int> = []
    /// The moments after which sent actions are safe.
    var awaited: [(moment: Int, action: Int)] = []
    /// Actions whose names were forgotten after the time for it, and that may be there twice.
    var forgotten: Set<Int> = []
    /// What keys of effects have named.
    private var keys: [String: Int] = [:]
    private var origins: [Int: ChainOrigin] = [:]
    /// What became of the actions that clerk and scribe were given.
    var books: [ClerkBook]
    /// Their states at the end of the last life.
    private var states: [ClerkState?] = []

    /// Violations of what a journal promises.
    package private(set) var faults: [String] = []
    /// What has happened.
    package internal(set) var coverage = HostCoverage()
    /// Tells each course of events from all others.
    package private(set) var digest: UInt64 = 0

    /// A host that has not lived yet.
    ///
    /// - Parameters:
    ///   - mode: the mode of the journal; nil for one that follows from the seed.
    ///   - folder: an empty folder, best in memory.
    package init(seed: UInt64, mode: JournalMode? = nil, defect: Defect? = nil, folder: String) {
        generator = SeededGenerator(seed: seed)
        nextAction = Int.random(in: 1...1_000_000, using: &generator)
        self.defect = defect
        backupPath = folder + ".backup"
        disk = SimulatedDisk(folder: folder, seed: generator.next())
        // A quarter of the hosts have two instances besides the ledger, which take longer.
        let count = Int.random(in: 0..<4, using: &generator) == 0 ? 2 : 1
        books = ClerkID.allCases.prefix(count).map { ClerkBook($0) }
        if defect == .lyingDisk { disk.lie() }
        var calls = disk.calls
        if defect == .unsyncedLedger { calls.sync = { _, _ in 0 } }
        if defect == .unnamedLedger { calls.syncFolder = { _ in 0 } }
        supervisor = SimulatedSupervisor(CrashLedgerFile(path: folder + "/crashes.json", on: calls))
        let isStrict = Int.random(in: 0..<3, using: &generator) > 0
        var options = JournalWriter.Options()
        options.system = SimulatedDisk.system
        options.disk = disk.calls
        options.newName = { "simulated" }
        options.clock = { [clock] in clock.time }
        options.instant = { [clock] in clock.instant }
        options.window = defect == .forgottenNames ? 0 : Self.window
        options.usualPages = [8, 24, 1_024].randomElement(using: &generator) ?? 8
        options.keptBytes = [0, 1 << 30].randomElement(using: &generator) ?? 0
        options.keptSeconds = [30, 1e9].randomElement(using: &generator) ?? 30
        var rules = HostConfiguration().supervise
        rules.deaths = Int.random(in: 1...3, using: &generator)
        rules.crashes = [6, 1_000].randomElement(using: &generator) ?? 6
        terms = SimulatedHost.Terms(
            mode: mode ?? (isStrict ? .strict : .relaxed), options: options, folder: folder, rules: rules)
    }

    /// Lives all lives, and a last one in which nothing goes wrong; stops at the first fault.
    package mutating func run() {
        coverage.count("seeds, \(terms.mode.rawValue)")
        var life = 0
        while life <= Self.lives, isSound {
            expectEvent(isLast: life == Self.lives)
            let before = disk.failures
            var culprit: FlightRecord?
            do throws(JournalFailure) {
                let host = try SimulatedHost(terms, tape, keys: keys, books, defect) { [disk] in
                    disk.end(by: .processEnds)
                }
                host.origins = origins
                recover(host)
                live(host, isLast: life == Self.lives)
                end(host, failuresBefore: before)
                (keys, books) = (host.keys, host.clerks.map(\.book))
                states = host.clerks.map(\.state)
                if disk.end != nil, host.clerks.contains(where: { $0.link != nil }) {
                    coverage.count("deaths of hosts of workers")
                }
                origins = host.origins
                for state in states { note(state?.sum ?? 0) }
                coverage.add(host.coverage)
                faults += host.faults
                culprit = host.culprit
            } catch {
                coverage.count("starts that did not succeed")
                if disk.end == nil, disk.failures == before { fault("the start is refused: \(error)") }
            }
            let isDead = disk.end == .processEnds
            come(back: disk.end)
            if isDead { enter(culprit) }
            if life < Self.lives, let backup, chance(40) { restore(backup) }
            faults += supervisor.faults
            // The last life is one that no plugin ends.
            if culprit == nil || life < Self.lives { life += 1 }
        }
        coverage.add(supervisor.coverage)
        if isSound { checkEnd() }
        for book in books { faults += book.faults }
        take(disk.account)
    }

    /// Whether nothing was found that is wrong.
    private var isSound: Bool { faults.isEmpty && books.allSatisfy(\.faults.isEmpty) }

    /// Adds a fault.
    mutating func fault(_ words: String) { faults.append(words) }

    /// Takes note of an event, so that another one leads to another digest.
    mutating func note(_ event: UInt64) {
        digest = ((digest ^ event) &* 0x100_0000_01b3) ^ disk.steps
    }

    // MARK: - Chance

    /// Lets something happen to the disk, or not.
    ///
    /// - Parameter within: the number of the last step in which it may begin; nil for one in a short life or a long one.
    mutating func expectEvent(isLast: Bool, within last: UInt64? = nil) {
        let choice = Int.random(in: 0..<100, using: &generator)
        let most = last ?? (Bool.random(using: &generator) ? 60 : 700)
        let step = UInt64.random(in: 1...most, using: &generator)
        let event: SimulatedDisk.Event? =
            switch choice {
            case _ where isLast: nil
            case ..<30: .processEnds
            case ..<70: .powerFails
            case ..<78: .writeFails
            case ..<84: .isFull
            case ..<92: .syncFails
            default: nil
            }
        disk.expect(event, in: step)
    }

    /// Whether something with a chance in a hundred happens.
    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    // MARK: - A life

    /// Lets the host continue from what is left, after a look at that.
    private mutating func recover(_ host: SimulatedHost) {
        let reducer = SimulatedReducer()
        let recovery: Recovery
        do throws(PastFailure) {
            recovery = try Recovery(
                folder: terms.folder, acceptsLoss: false,
                by: PastWalk.Reducers(recorded: reducer, present: nil))
        } catch {
            return fault("the recovery is refused: \(error)")
        }
        for diagnostic in recovery.diagnostics { fault("the recovery warns: \(diagnostic)") }
        coverage.count("recoveries")
        coverage.count("actions replayed", UInt64(recovery.replayed))
        coverage.count("inputs dispatched again", UInt64(recovery.inputs.count))
        let audit: PastAudit
        do throws(JournalFailure) {
            audit = try PastAudit(recovery, host)
        } catch {
            return fault("the journal cannot be read: \(error)")
        }
        let (moment, words) = tape.with { audit.find(in: $0.past) }
        guard let moment else { return fault(words) }
        let lost = tape.with { content in
            let lost = content.past.moments.count - 1 - moment
            content.past.cut(behind: moment)
            return lost
        }
        coverage.count("handed over and lost with the process or the power", UInt64(lost))
        let past = tape.with { $0.past }
        for clerk in host.clerks {
            clerk.book.recover(
                recovery, base: recovery.sequence - UInt64(recovery.replayed), letter: past.now.lastLetter,
                state: ClerkState(recovery.place.state.entries[clerk.id.rawValue]?.state),
                counts: past.counts)
        }
        let time = clock.time
        let known = tape.with { $0.past.known(in: Self.window, at: time) }
        for name in known where host.ids.insert(name) { fault("the name \(name) is forgotten") }
        for words in audit.compareRecords(with: tape.with { $0.past }) { fault(words) }
        let left = sent
        (sent, awaited) = ([], [])
        let found = tape.with { $0.past.now }
        host.isShared = chance(50)
        host.begin(
            recovery, from: found, under: supervisor, inWorkers: host.clerks.map { _ in chance(70) })
        if !supervisor.setAside.isEmpty { write(host) }
        if isAlive(host) { host.resume(recovery, from: found, under: supervisor) }
        guard isAlive(host) else {
            sent = left
            return
        }
        for (index, action) in left.enumerated() {
            guard isAlive(host) else {
                sent += left[index...]
                return
            }
            send(action, to: host, isRepeated: true)
        }
    }

    /// Takes turns until the host ends, or there were enough.
    private mutating func live(_ host: SimulatedHost, isLast: Bool) {
        let count = Int.random(in: 1...Self.turns, using: &generator)
        for _ in 0..<count where isAlive(host) {
            for _ in 0..<Int.random(in: 0...12, using: &generator) where isAlive(host) {
                actOnClerk(of: host)
            }
            if isAlive(host) { act(host, isLast: isLast) }
        }
        guard isLast else { return }
        // Until everything is done that was begun.
        for _ in 0..<100 where isAlive(host) {
            if host.isMissingWorkers {
                let successors = host.clerks.map { clerk in
                    clerk.link?.isOut == true ? NextClerk(migrates: false, isInWorker: true) : nil
                }
                host.reload(
                    migrates: false, successors, sharing: false, waiting: true, under: supervisor)
            }
            while !host.effects.isEmpty, isAlive(host) { host.end(effectAt: 0, emits: false) }
            for clerk in host.clerks {
                while clerk.resident?.running.isEmpty == false, isAlive(host) {
                    clerk.endResidentEffect(at: 0)
                }
            }
            host.driveWorkers(endingEffects: true)
            host.handOver()
            clock.pass(.seconds(1))
            write(host)
            while !host.isCopying, host.turns.perform() { write(host) }
            if host.isIdle, awaited.isEmpty, !host.isMissingWorkers { break }
        }
    }

    /// Whether the host goes on.
    func isAlive(_ host: SimulatedHost) -> Bool {
        faults.isEmpty && host.isSound && disk.end == nil && host.failure == nil
    }

    /// Lets one thing happen.
    private mutating func act(_ host: SimulatedHost, isLast: Bool) {
        let choice = Int.random(in: 0..<100, using: &generator)
        note(UInt64(choice))
        clock.pass(.milliseconds(Int.random(in: 0...20, using: &generator)))
        switch choice {
        case ..<30:
            for _ in 0..<Int.random(in: 1...4, using: &generator) where isAlive(host) {
                send(nextAction, to: host, isRepeated: false)
                nextAction += 1
            }
        case ..<55: write(host)
        case ..<65: maintain(host)
        case ..<73: if !host.isCopying { _ = host.turns.perform() }
        case ..<79: host.handOver()
        case ..<88 where !host.effects.isEmpty:
            let index = Int.random(in: 0..<host.effects.count, using: &generator)
            host.end(effectAt: index, emits: Bool.random(using: &generator))
        case ..<91: host.snapshot()
        case ..<92 where chance(50): tryChange(host)
        case ..<93:
            if chance(30) { _ = supervisor.release() }
            let successors = host.clerks.map { _ in
                chance(67)
                    ? NextClerk(migrates: chance(50), isInWorker: chance(60), stopsBefore: chance(40)) : nil
            }
            host.reload(
                migrates: chance(50), successors, sharing: chance(50), waiting: chance(50),
                under: supervisor)
        case ..<94: changeLetters(host)
        case ..<96: backUp(host)
        case ..<98:
            clock.jump(by: Double.random(in: -2_000...2_000, using: &generator))
            coverage.count("clock jumps")
        case ..<99 where !isLast:
            disk.end(by: Bool.random(using: &generator) ? .processEnds : .powerFails)
            coverage.count("ends between two steps")
        default: clock.pass(.seconds(Int.random(in: 1...100, using: &generator)))
        }
    }

    /// Keeps or removes a dead letter.
    private mutating func changeLetters(_ host: SimulatedHost) {
        let letters = tape.with { $0.past.now.letters.sorted() }
        if chance(40), let letter = letters.randomElement(using: &generator) {
            host.remove(letter: letter)
        } else {
            host.bury(.failed)
        }
    }

    // MARK: - The end

    /// Ends a life: in order, after a failure, or as it has ended.
    private mutating func end(_ host: SimulatedHost, failuresBefore: UInt64) {
        let isDead = disk.end != nil
        if !isDead, host.failure == nil {
            for clerk in host.clerks { clerk.stopEffects(isAtEnd: true) }
            // Snapshots wait for the worker.
            for clerk in host.clerks { clerk.settle() }
            host.handOver()
        }
        let time = clock.time
        tape.with { $0.past.write(at: time) }
        host.turns.close()
        guard !isDead, disk.end == nil else { return }
        let failures = tape.with { $0.failures }
        if let failure = host.failure {
            coverage.count("hosts that ended because nothing could be written")
            if disk.failures == failuresBefore { fault("nothing is written any more: \(failure)") }
            if failures.count != 1 { fault("a failure was told \(failures.count) times") }
        } else {
            tape.with {
                $0.past.commit(isSynced: true)
                $0.past.sync()
            }
            settle(host)
            coverage.count("ends in order")
        }
        for words in tape.with({ $0.diagnostics }) where disk.failures == failuresBefore {
            fault("the journal warns: \(words)")
        }
        tape.with { $0.diagnostics = [] }
    }

    /// Lets the machine come back after an end.
    mutating func come(back end: SimulatedDisk.Event?) {
        tape.with { content in
            (content.diagnostics, content.failures, content.acknowledged) = ([], [], [])
            if end == .powerFails { content.past.losePower() }
        }
        let code = disk.restart()
        if code != 0 { fault("the simulated disk cannot be written: \(code)") }
        supervisor.see(isDecided: end == .powerFails)
    }

    /// Lets the supervisor take note of a death, during which something may happen to the disk too.
    private mutating func enter(_ culprit: FlightRecord?) {
        let before = disk.failures
        expectEvent(isLast: false, within: 12)
        if !supervisor.note(culprit, at: clock.time), disk.failures == before, disk.end == nil {
            fault("the crash ledger cannot be written")
        }
        disk.expect(nil)
        come(back: disk.end)
    }

    /// Looks at what there is in the end: each action that was safe once, and none twice.
    private mutating func checkEnd() {
        let past = tape.with { $0.past }
        for (index, state) in states.enumerated() { books[index].finish(state: state, counts: past.counts) }
        let left = past.now.running.values.count { effect in
            ClerkID.allCases.contains { effect.key.hasSuffix("-\($0)") }
        }
        if left > 0 { fault("\(left) effects stand for actions of workers, which are over") }
        var counts: [Int: Int] = [:]
        for root in past.roots { counts[root, default: 0] += 1 }
        for (number, count) in counts.sorted(by: { $0.key < $1.key })
        where count > 1 && !forgotten.contains(number) {
            fault("a\(number) was processed \(count) times")
        }
        guard terms.mode == .strict else { return }
        let skipped = tape.with { $0.skipped }
        for number in safe.sorted() where counts[number] == nil && !skipped.contains(number) {
            fault("a\(number) was safe, and is gone")
        }
        if !past.now.open.isEmpty { fault("\(past.now.open.count) inputs were never processed") }
    }

    /// Takes over what has happened to the disk.
    private mutating func take(_ account: DiskAccount) {
        for (name, count) in account.counts { coverage.count(name, count) }
        note(account.lost)
    }
}
