// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// Work that an instance has begun beside the drain; callable from any thread.
///
/// It is in the table of its port until it is over; whoever removes it from there must call `end` or `cancel`.
final class ForeignWork: Sendable {
    /// Identifies the work; 0 is never used.
    let number: UInt64
    /// The plugin's name for it; empty for none.
    let token: [UInt8]
    /// The role of the work in the run.
    let kind: Activity.Kind
    /// Takes the actions it emits, unless it is cancelled by then.
    let output: AnyActionHandler<AnyAction>
    /// Whether it was stopped from outside.
    private let isCancelled: CancelMark
    /// Its number in the log of effects; nil for work that is not in it.
    let logged: UInt64?

    /// Marks work that an action started, as actions start effects.
    struct Effect {
        /// Its number in the log; nil without a log.
        let logged: UInt64?
    }

    /// A mark that the output checks.
    private final class CancelMark: Sendable {
        /// Whether it is set.
        let isSet = Atomic(false)
    }

    /// Starts counting the work.
    ///
    /// - Parameter effect: given if the current action starts it as an effect; holds its number in the log, nil without a log; in the
    ///   drain only.
    init(
        number: UInt64, token: [UInt8], kind: Activity.Kind, output: AnyActionHandler<AnyAction>,
        as effect: Effect?
    ) {
        self.number = number
        self.token = token
        self.kind = kind
        let mark = CancelMark()
        isCancelled = mark
        let parent = output.sink
        let cause = effect == nil ? nil : parent.drain.map { $0.mark | Drain.effectMark }
        // The mark is checked when the action is delivered, not when it is emitted.
        self.output = AnyActionHandler(
            ActionSink(before: parent) { action in
                guard !mark.isSet.load(ordering: .relaxed) else { return }
                guard let cause, let drain = parent.drain else { return parent.emit(action) }
                let inHand = drain.mark
                drain.mark = cause
                parent.emit(action)
                drain.mark = inHand
            })
        logged = effect?.logged
        parent.activity?.begin(kind)
    }

    /// Ends it; it counts until everything that it emitted has been processed.
    func end(isCancelled: Bool = false) {
        if let logged { output.sink.activity?.log?.end(logged, isCancelled: isCancelled) }
        output.sink.activity?.end(kind, logged: logged, atRestOf: output.sink.drain)
    }

    /// Drops what it emits from here on, and ends it.
    func cancel() {
        isCancelled.isSet.store(true, ordering: .relaxed)
        end(isCancelled: true)
    }
}

/// Work that waits until the actions that led to it are durable; ends when nobody can start it any more.
final class WaitingWork: Sendable {
    /// The number of the work.
    private let number: UInt64
    /// The port that knows it until it ends; the instance may go first.
    private weak let port: ForeignPort?
    /// Has the plugin perform it; called in the drain.
    private let body: @Sendable () -> Void
    /// Whether the plugin was called to perform it, and so must end it.
    private let hasBegun = Atomic(false)

    /// Creates waiting work of a port.
    init(_ number: UInt64, of port: ForeignPort, _ body: @escaping @Sendable () -> Void) {
        self.number = number
        self.port = port
        self.body = body
    }

    deinit {
        if !hasBegun.load(ordering: .relaxed) { try? port?.end(number) }
    }

    /// Has the plugin perform it, unless it was cancelled; called in the drain, once.
    func perform() {
        hasBegun.store(true, ordering: .relaxed)
        if port?.isRunning(number) == true { body() }
    }
}
