// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK

/// What the last actions follow from, and how much was emitted after each, by whom; belongs to the drain.
struct ChainMemory {
    /// What is remembered of an action; nothing where all numbers of the origin are 0.
    private struct Entry {
        /// What it follows from.
        var origin = ChainOrigin(input: 0)
        /// Who was the first to emit something after it on the spot, and how many that was; 0 for nobody.
        var emitter: UInt64 = 0, count: UInt32 = 0
    }

    /// What others than the first emit after an action on the spot, or what interceptors emit that have an input in hand.
    private struct Emission: Hashable {
        /// The number of the action or of the input, and who emits.
        let parent, emitter: UInt64
        /// Whether it is that of an input.
        let isOfInput: Bool
    }

    /// How often an input was passed on, of which an interceptor makes several actions where it passes it on more than once, and none where
    /// it stops it.
    private struct Passes {
        /// The number of the input; 0 for none.
        var input: UInt64 = 0
        /// How often.
        var count: UInt32 = 0
    }

    /// What stands for an emitter where an input is passed on once more, and where something is emitted before it is; no instance is called so.
    private static let (again, before) = (ChainPlace.hash("\u{0}"), ChainPlace.hash("\u{1}"))

    /// So many actions are remembered, and so many inputs; a power of two.
    private static let size: UInt64 = 1_024

    /// The last actions, by the low bits of their numbers.
    private var entries = InlineArray<1_024, Entry>(repeating: Entry())
    /// The last inputs, by the low bits of their numbers.
    private var inputs = InlineArray<1_024, Passes>(repeating: Passes())
    /// Actions that were recorded longer ago, or by another host, and after which something is emitted before the next rest.
    private var recalled: [UInt64: Entry] = [:]
    /// How much others than the first have emitted.
    private var emissions: [Emission: UInt32] = [:]
    /// How many of these there are before those are looked for that nobody needs.
    private var mostEmissions = 4 * Int(size)
    /// The sources of some actions that were emitted last, and their emitters, and where the next one goes.
    private var sources: [(source: ActionSource, emitter: UInt64)] = []
    private var nextSource = 0
    /// The origin of the next action, where another recorder says so.
    var given: ChainOrigin?

    /// Remembers a new action.
    ///
    /// - Parameters:
    ///   - lastInput: the number of the last input that was accepted.
    ///   - epoch: that of the journal.
    @inline(__always)
    mutating func begin(
        _ sequence: UInt64, from source: ActionSource, upTo lastInput: UInt64, in epoch: UInt64
    ) {
        let origin =
            source.cause.isUnknown
            ? nil : given.take() ?? known(sequence, from: source, upTo: lastInput)
        entries[Self.place(of: sequence)] = Entry(
            origin: origin ?? ChainOrigin(epoch: epoch, first: sequence))
    }

    /// The origin of an action; all zeros where it was never begun.
    @inline(__always)
    func origin(of sequence: UInt64) -> ChainOrigin { entries[Self.place(of: sequence)].origin }

    /// The number of the input that an action goes back to after which something comes; nil for none that is known.
    func input(of parent: UInt64, at last: UInt64) -> UInt64? {
        let origin = recalled[parent]?.origin ?? (isKnown(parent, at: last) ? origin(of: parent) : nil)
        return origin.flatMap { $0.input == 0 ? nil : $0.input }
    }

    /// Remembers an action until it is forgotten, because something is emitted after it.
    ///
    /// - Parameters:
    ///   - last: the number of the last action.
    ///   - origin: its own; another one is remembered where another host gave the number to another action.
    mutating func recall(_ sequence: UInt64, from origin: ChainOrigin, at last: UInt64) {
        guard recalled[sequence] == nil else { return }
        let near = isKnown(sequence, at: last) ? entries[Self.place(of: sequence)] : nil
        recalled[sequence] = near?.origin == origin ? near : Entry(origin: origin)
    }

    /// Forgets what was recalled; called at a rest.
    mutating func forgetRecalled() { if !recalled.isEmpty { recalled.removeAll(keepingCapacity: true) } }

    /// Where an action is among the last ones.
    @inline(__always)
    private static func place(of sequence: UInt64) -> Int { Int(truncatingIfNeeded: sequence & (size - 1)) }

    /// Whether an action is among the last ones, and was begun here.
    private func isKnown(_ action: UInt64, at last: UInt64) -> Bool {
        action <= last && last - action < Self.size && origin(of: action) != ChainOrigin(input: 0)
    }

    /// The origin of an action that follows from something; nil where nothing is known of that.
    private mutating func known(
        _ sequence: UInt64, from source: ActionSource, upTo lastInput: UInt64
    ) -> ChainOrigin? {
        switch source.cause.kind {
        case .input: source.cause.number(notAbove: lastInput).map { pass(input: $0) }
        case .interception:
            source.cause.number(notAbove: lastInput).flatMap { input in
                follower(ofInput: input, by: emitter(of: source), at: sequence)
            }
        case .unknown, .effect: nil
        case .output, .own:
            source.cause.number(notAbove: sequence - 1).flatMap { parent in
                follower(of: parent, by: emitter(of: source), at: sequence)
            }
        }
    }

    /// The origin of an action that an input becomes: each after the first one has a place of its own.
    private mutating func pass(input: UInt64) -> ChainOrigin {
        var origin = ChainOrigin(input: input)
        guard remember(input: input) else { return origin }
        let count = inputs[Self.place(of: input)].count
        if count > 0 { origin.place = origin.place.follower(count - 1, of: Self.again) }
        inputs[Self.place(of: input)].count += 1
        return origin
    }

    /// Takes note that something follows from an input; false where later ones have taken its place.
    private mutating func remember(input: UInt64) -> Bool {
        let place = Self.place(of: input)
        if inputs[place].input < input { inputs[place] = Passes(input: input) }
        return inputs[place].input == input
    }

    /// The origin of what an interceptor emits while it has an input in hand: not that of anything that follows from the input itself; nil where
    /// too many inputs have come since to know how much it has emitted.
    private mutating func follower(
        ofInput input: UInt64, by emitter: UInt64, at sequence: UInt64
    ) -> ChainOrigin? {
        guard remember(input: input) else { return nil }
        var origin = ChainOrigin(input: input)
        let index = count(Emission(parent: input, emitter: emitter, isOfInput: true), at: sequence)
        origin.place = origin.place.follower(0, of: Self.before).follower(index, of: emitter)
        return origin
    }

    /// A number for who has emitted an action.
    private mutating func emitter(of source: ActionSource) -> UInt64 {
        for known in sources where source.hasSameOrigin(as: known.source) { return known.emitter }
        let emitter = ChainPlace.hash(source.emitter ?? "")
        if sources.count < 8 {
            sources.append((source, emitter))
        } else {
            sources[nextSource] = (source, emitter)
            nextSource = (nextSource + 1) % sources.count
        }
        return emitter
    }

    /// The origin of what an instance emits on the spot after an action, which is counted; nil where nothing is remembered of that.
    private mutating func follower(
        of parent: UInt64, by emitter: UInt64, at sequence: UInt64
    ) -> ChainOrigin? {
        let recalledEntry = recalled.isEmpty ? nil : recalled[parent]
        let isNear = isKnown(parent, at: sequence)
        guard var entry = recalledEntry ?? (isNear ? entries[Self.place(of: parent)] : nil) else {
            return nil
        }
        var index = entry.count
        if entry.count == 0 { entry.emitter = emitter }
        if entry.emitter == emitter {
            entry.count += 1
        } else {
            index = count(Emission(parent: parent, emitter: emitter, isOfInput: false), at: sequence)
        }
        if recalledEntry != nil { recalled[parent] = entry }
        // An interceptor may let go of more when nothing is recalled any more.
        if isNear, entries[Self.place(of: parent)].origin == entry.origin {
            entries[Self.place(of: parent)] = entry
        }
        var origin = entry.origin
        origin.place = origin.place.follower(index, of: emitter)
        return origin
    }

    /// Counts what others than the first emit; gives how much there was before.
    private mutating func count(_ emission: Emission, at sequence: UInt64) -> UInt32 {
        if emissions.count >= mostEmissions {
            emissions = emissions.filter { emission, _ in
                let parent = emission.parent
                if emission.isOfInput { return inputs[Self.place(of: parent)].input == parent }
                return recalled[parent] != nil || sequence - parent < Self.size
            }
            mostEmissions = max(4 * Int(Self.size), 2 * emissions.count)
        }
        defer { emissions[emission, default: 0] += 1 }
        return emissions[emission, default: 0]
    }
}
