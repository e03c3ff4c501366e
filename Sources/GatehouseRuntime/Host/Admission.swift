// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseSDK
internal import GatehouseSupport

/// The one way in which actions come to a host's store, whoever brings them: files, sockets, instances that post, and cases.
///
/// Its kind is the host's mode: a `DirectAdmission` dispatches at once, a `JournalledAdmission` keeps what comes in and goes on where
/// the run before ended, a `PartitionedAdmission` appends to a cluster's partitions. Belongs to the thread that reads.
package protocol Admission: AnyObject {
    /// The journal that keeps what comes in and what is reduced; nil for a mode that keeps none.
    var journal: HostJournal? { get }
    /// Records the actions that reach the reducers; nil for a mode that records none.
    var recorder: ActionRecorder? { get }
    /// Takes outputs for other stores; nil where all are for this one.
    var elsewhere: (any OutputRoute)? { get }
    /// Whether actions are kept before they are dispatched, so that inputs that are read together are kept together.
    var keepsFirst: Bool { get }
    /// Whether a host has work without inputs of its own.
    var servesOthers: Bool { get }
    /// Whether what was taken should be dispatched before anything else is taken.
    var isFull: Bool { get }

    /// Prepares the store for its first action; called in the drain, before its instances are started.
    func open(_ store: HostStore)

    /// Does what the previous run left undone; called once, at the beginning of a run.
    func finishLeftWork(of host: Host)

    /// Takes an action: dispatches it, or leaves it for `dispatchTaken`.
    ///
    /// - Parameter text: the line it was read from, borrowed for the call; nil for an action that was brought as it is.
    /// - Returns: false for an action that its writer has sent before, which is dropped.
    func take(
        _ action: consuming AnyAction, _ text: ActionText?, from source: ActionSource, to store: HostStore
    ) -> Bool

    /// Keeps what was taken, and dispatches it; nothing is dispatched that is not kept.
    ///
    /// - Throws: why it cannot be kept.
    func dispatchTaken(to store: HostStore) throws(IngressError)

    /// Waits until everything dispatched so far is kept where it must be, before anything of it is acknowledged.
    ///
    /// - Throws: why it cannot be kept.
    func finish() throws(IngressError)

    /// Takes the places of those that turned out to be duplicates only when they were kept, among the actions that `take` has taken since
    /// the last call; called after `finish`.
    func takeDuplicates() -> [Int]

    /// Takes the actions that an input has at hand, for as long as its turn lasts.
    ///
    /// A requirement, so that each kind of admission has a loop of its own in which `take` is no call through a witness table.
    ///
    /// - Throws: why the input cannot be read, or its actions cannot be kept.
    func read(
        _ input: inout ActionInput, atMost most: Int, _ taker: inout ActionTaker, for intake: RunIntake
    ) throws(IngressError) -> TurnEnd

    /// Keeps the state with which the run ends; called when the run is over.
    ///
    /// - Throws: why the last actions could not be kept.
    func close(_ store: HostStore) throws(JournalFailure)
}

extension Admission {
    package var journal: HostJournal? { nil }
    package var recorder: ActionRecorder? { nil }
    package var elsewhere: (any OutputRoute)? { nil }
    package var servesOthers: Bool { false }
    package func open(_ store: HostStore) {}
    package func finishLeftWork(of host: Host) {}
    package func finish() throws(IngressError) {}
    package func takeDuplicates() -> [Int] { [] }
    package func close(_ store: HostStore) throws(JournalFailure) {}

    package func read(
        _ input: inout ActionInput, atMost most: Int, _ taker: inout ActionTaker, for intake: RunIntake
    ) throws(IngressError) -> TurnEnd {
        let host = intake.host
        let (store, progress, reports) = (host.store, host.progress, host.reports)
        let (isStrict, mostTurnedAway) = (intake.terms.isStrict, intake.terms.mostTurnedAway)
        let skipsNone = host.skipped.places.isEmpty
        store.queue.withExclusiveAccess { store.generation?.isReading(input.source) }
        progress.flightRecorder.know(input.source, isReadAgain: input.isReadAgain)
        let before = intake.begin(input)
        defer { intake.end(input, before) }
        let (lines, rejected, refused) = (before.lines, before.rejected, before.refused)
        var left = most
        let unsent = store.unsent
        var waited = 0
        defer { store.sendOrders() }
        while left > 0 {
            let waiting = unsent.count
            if waiting > 0 {
                // They do not wait for a line that is not there, nor while other instances are busy with what follows.
                if waiting == waited || !input.hasLine { store.sendOrders() }
                waited = waiting
            }
            switch try input.next(&taker) {
            case .action(let action, var text):
                text.isFollowed = true
                progress.note(lines: lines + input.lines, rejected: rejected + input.rejected)
                let source = input.source
                if skipsNone || !host.skips(action, from: source),
                    take(action, text, from: source, to: store), isFull
                {
                    try dispatchTaken(to: store)
                }
            case .nothing:
                progress.note(lines: lines + input.lines, rejected: rejected + input.rejected)
                // A strict run ends below, at the first of them.
                if !isStrict, rejected + refused + input.rejected + input.refused > mostTurnedAway {
                    return .enough
                }
            case .interrupted: return .interrupted
            case .dry: return .dry
            case .end: return .end
            }
            if input.lines & 63 == 0 {
                store.sendOrders()
                intake.pause(at: lines + input.lines, of: input)
            }
            if isStrict, reports.badDataCount > 0 {
                intake.summary.stoppedAtBadData = true
                return .enough
            }
            left &-= 1
        }
        return .more
    }
}
