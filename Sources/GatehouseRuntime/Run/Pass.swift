// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// One action's way through the host, and all it needs on the way.
///
/// One object, used for one action after the other: whatever belongs to the action in hand is here and nowhere else, and
/// nothing here outlives the pass. Touched in the drain only.
///
/// Instances are referred to without being held: the generation that holds them is kept until the pass has ended.
@safe
package final class Pass {
    /// The answer of one instance.
    @safe
    private struct Answer {
        /// The instance, held by its generation.
        let instance: Unmanaged<Instance>
        /// The work that the instance wants done after the reducers.
        let io: IO<AnyAction>
    }

    /// What others may know of the run at any moment.
    package let progress: RunProgress
    /// What gates are given to read: nothing, because they look up the state by themselves.
    let gateState = GetState<Void> {}
    /// Where the action in hand came from.
    private(set) var source = ActionSource(file: "", function: "", line: 0, info: nil)
    /// The action, as interceptors have left it; whoever begins the pass holds it to the end. None between two passes.
    private var inHand = UnownedAction()
    /// The same action where nobody else may hold it that long, because interceptors have made it.
    private var held: AnyAction?
    /// The text it was read from, while that is at hand.
    var text: ActionText?
    /// Whether it changed the state.
    var isChanged = false
    /// When it came, in seconds since 1970; nil until somebody asks.
    private(set) var time: Double?
    /// Whether its way is timed.
    private(set) var isSample = false
    /// The plan that says of which actions the time is measured.
    private(set) var samples: SamplePlan
    /// The number of an action, and who is told with true before code of an instance answers it, and with false after each part of that.
    private var watched: (number: Int, watch: (Bool) -> Void)?
    /// For each stop of its route, whether the gate let it pass: decided once, before the reducers.
    private var passed: UnsafeMutableBufferPointer<Bool>
    /// What the instances answered, in the order in which they handled it.
    private var answers: ContiguousArray<Answer> = []

    /// A pass that no action is in.
    ///
    /// - Parameters:
    ///   - timesAll: whether each action is timed, and not only a few of them.
    ///   - progress: where others find what runs.
    package init(timesAll: Bool, progress: RunProgress = RunProgress()) {
        self.progress = progress
        samples = SamplePlan(isComplete: timesAll)
        unsafe passed = .allocate(capacity: 0)
    }

    deinit { unsafe passed.deallocate() }

    /// The global type of the action in hand; nil between two passes.
    var type: ActionType? { inHand.type }

    /// The action in hand; nil between two passes.
    var action: AnyAction? { inHand.action }

    /// Makes room for routes of so many stops; called between two passes.
    func reserve(stops count: Int) {
        guard unsafe count > passed.count else { return }
        unsafe passed.deallocate()
        unsafe passed = .allocate(capacity: count)
        unsafe passed.initialize(repeating: false)
    }

    /// Begins the pass of an action that came from a source.
    @inline(__always)
    package func begin(from source: ActionSource) { self.source = source }

    /// Takes the action in hand, which the caller holds until the pass has ended; not called for one that nobody hears.
    @inline(__always)
    package func take(_ action: AnyAction) { inHand = UnownedAction(action) }

    /// Holds an action that interceptors have let pass until `release`.
    func hold(_ action: AnyAction) { held = action }

    /// Lets go of what interceptors have let pass; called when the pass has ended.
    func release() { held = nil }

    /// Ends the pass: nothing of the action is left.
    @inline(__always)
    package func end() {
        inHand.clear()
        text = nil
        isChanged = false
        isSample = false
        time = nil
    }

    /// When the action in hand came: the clock as it was when the first one asked.
    func time(by unixTime: () -> Double) -> Double {
        if let time { return time }
        let now = unixTime()
        time = now
        return now
    }

    /// Says when the action in hand came, to whoever asks; for one that is not new.
    package func came(at time: Double) { self.time = time }

    /// Has the action that comes in hand timed, and chooses the next one for it.
    @inline(never)
    func beginSample() {
        isSample = true
        samples.advance()
    }

    /// Tells when code of an instance answers an action to come, by its number.
    func watch(_ number: Int, _ watch: @escaping (Bool) -> Void) {
        samples.choose(number)
        watched = (number, watch)
    }

    /// Who is told of the action in hand, which is timed; nil for nobody.
    var watch: ((Bool) -> Void)? {
        guard let watched, watched.number == progress.actions else { return nil }
        return watched.watch
    }

    /// Remembers whether the gate at a stop of the route let the action pass.
    @inline(__always)
    func note(_ isPassed: Bool, at stop: Int) { unsafe passed[stop] = isPassed }

    /// Whether the action has passed this stop.
    @inline(__always)
    func hasPassed(_ stop: Int) -> Bool { unsafe passed[stop] }

    /// Keeps the answer of an instance until it is run.
    @inline(__always)
    func add(_ io: consuming IO<AnyAction>, of instance: Unmanaged<Instance>) {
        answers.append(unsafe Answer(instance: instance, io: io))
    }

    /// Runs the answers, last to first; each is let go of when it has run, because a plugin fills its body again.
    @inline(__always)
    func runAnswers() {
        while let answer = answers.popLast() {
            unsafe answer.instance._withUnsafeGuaranteedRef {
                progress.enter(.answer, of: $0)
                if isSample { $0.runTimed(answer.io) } else { answer.io.run($0.output) }
            }
        }
    }
}
