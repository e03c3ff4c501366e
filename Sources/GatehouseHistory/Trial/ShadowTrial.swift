// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Lets a shadow and its instance hear what the journal records, action by action while the host writes it, and compares what both make
/// of each.
///
/// What either emits goes nowhere, and effects do not run: the next action is the recorded one for both. Their states begin alike. Used
/// from one thread.
final class ShadowTrial {
    /// The id of the instance.
    private let instance: String
    /// Says which actions it hears.
    private let names: LiftedNames?
    /// Where its slice is; nil for one without state.
    private let slice: JSONPointer?
    /// The folder of the journal.
    private let journal: History
    /// The instance as it runs.
    private let before: TriedHost
    /// The shadow in its place.
    private let now: TriedHost
    /// What has come of it.
    private var account: ShadowAccount
    /// The consequences of the row in hand.
    private var logs = (before: ConsequenceLog(), now: ConsequenceLog())
    /// How many actions had been heard when the states were compared last.
    private var compared: UInt64 = 0

    /// The most actions that one side hears before the other side hears the same.
    private static let batch = 256
    /// How many actions are heard before the states are compared while more are to come.
    private static let stride: UInt64 = 10_000
    /// The most looks at the journal for an action that is about to be written.
    private static let most = 20
    /// The time between two looks at the journal, in milliseconds.
    private static let pause: Int32 = 250

    /// Begins where a comparison goes on, or after the last action before its generation.
    ///
    /// - Parameters:
    ///   - shadowed: the plan with the shadow in the place of its instance.
    ///   - running: the plan that runs.
    init(
        of shadowed: HostPlan, as instance: String, against running: HostPlan, journal folder: String,
        images: ImageCache, recorder: FlightRecorder, _ listening: TrialRequest.Listening
    ) throws(PastFailure) {
        self.instance = instance
        let planned = running.instances.first { $0.id == instance }
        (names, slice) = (planned?.names, planned?.slice)
        journal = try PastFailure.reading(try History(folder: folder))
        try Self.waitUntilWritten(listening.sequence, in: journal)
        var account =
            listening.account ?? ShadowAccount(behind: listening.sequence, at: UnixTime.now)
        if account.last < min(try PastFailure.reading(try journal.earliestState()), listening.sequence) {
            account.note(
                missed: "actions \(account.last + 1) to \(listening.sequence) came while nobody listened")
            account.last = listening.sequence
        }
        let ground = try TrialGround(behind: account.last, journal: folder, plan: running, images: images)
        before = try TriedHost(running, at: ground.place, images: images, recorder: recorder)
        now = try TriedHost(shadowed, at: ground.place, images: images, recorder: recorder)
        self.account = account
        for side in [before, now] { side.listen(to: instance) }
    }

    /// Waits until the journal has an action, which its host may yet be about to write; not for long, because a writer that fails writes none.
    private static func waitUntilWritten(_ sequence: UInt64, in journal: History) throws(PastFailure) {
        for _ in 0..<most {
            let newest = try PastFailure.reading(try journal.bounds())?.upperBound ?? 0
            if newest >= sequence { return }
            _ = poll(nil, 0, pause)
        }
    }

    /// Hears what is recorded, and never returns but with a failure.
    ///
    /// - Parameter tell: called with the account at least four times a second.
    func run(tell: (ShadowAccount) -> Void) throws(PastFailure) {
        while true {
            if try !hearRest(tell), compared < account.heard { try compareStates() }
            tell(account)
            _ = poll(nil, 0, Self.pause)
        }
    }

    /// Hears what is recorded by now; returns whether it was anything.
    private func hearRest(_ tell: (ShadowAccount) -> Void) throws(PastFailure) -> Bool {
        let cursor = HistoryCursor(journal.reader, from: account.last + 1, to: .max, skipsOrphans: false)
        var row: [JournalRecord] = []
        var hasHeard = false
        while let item = try PastFailure.reading(try cursor.next()) {
            switch item {
            case .damage(let part): account.note(missed: "\(part)")
            case .record(let record): row.append(record)
            }
            guard row.count >= Self.batch else { continue }
            hear(row)
            row.removeAll(keepingCapacity: true)
            hasHeard = true
            tell(account)
            if account.heard - compared >= Self.stride { try compareStates() }
        }
        hear(row)
        return hasHeard || !row.isEmpty
    }

    /// Lets both hear some actions, and compares what they make of each.
    private func hear(_ row: [JournalRecord]) {
        guard !row.isEmpty else { return }
        account.seconds.instance += time { before.hear(row, filling: &logs.before) }
        account.seconds.shadow += time { now.hear(row, filling: &logs.now) }
        account.errors = ShadowAccount.Sides(Double(before.reports.count), Double(now.reports.count))
        for (place, record) in row.enumerated() {
            let effects = (before: logs.before.effects(of: place), now: logs.now.effects(of: place))
            var isDifferent = false
            if !logs.before.isSame(place, as: logs.now) {
                let found = TrialDifference.between(
                    logs.before.actions(of: place), logs.now.actions(of: place), after: record.sequence)
                for one in found {
                    account.note(
                        output: "\(Quotation.bare(one.type)) \(one.kind.rawValue)",
                        ShadowAccount.Difference(after: record.sequence, one.line, one.value))
                }
                isDifferent = !found.isEmpty
            }
            if effects.before != effects.now {
                isDifferent = true
                account.note(
                    effectsOf: record.type,
                    ShadowAccount.Sides(Double(effects.before), Double(effects.now)), after: record.sequence)
            }
            account.last = record.sequence
            if isDifferent || hears(record) { account.count(at: record.batchTime, isDifferent: isDifferent) }
        }
    }

    /// Whether the instance hears an action of everybody.
    private func hears(_ record: JournalRecord) -> Bool {
        if case .own = record.cause { return false }
        return names?.local(of: record.type) != nil
    }

    /// Compares the states of both, until they were seen to differ.
    private func compareStates() throws(PastFailure) {
        compared = account.heard
        guard account.state == nil, let slice else { return }
        let states = (
            before: try before.state(after: account.last)[slice],
            now: try now.state(after: account.last)[slice]
        )
        guard states.before != states.now else { return }
        let places = Value.differences(from: states.before, to: states.now)
        guard let one = places.first else { return }
        account.state = ShadowAccount.Difference(
            after: account.last,
            "the state differs at \(Counted.text(places.count, "place")), seen after \(account.last): \(slice)\(one.pointer)  \(one.old.short) → \(one.new.short)"
        )
    }

    /// Measures the processor time of this thread, in seconds.
    private func time(_ body: () -> Void) -> Double {
        let start = TrialMeter.processorSeconds
        body()
        return TrialMeter.processorSeconds - start
    }
}
