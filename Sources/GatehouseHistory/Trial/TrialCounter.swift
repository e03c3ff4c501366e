// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseJournal
private import Synchronization

/// Counts the instructions of a few steps on both sides, which decide whether a candidate is slow.
///
/// The processor is made to stop after each instruction, which needs no counters and no rights, and works in virtual machines. A step takes
/// some thousand times as long meanwhile, so it is only done for types that seem to be slow, as far as it decides, and at first while the
/// answers of instances run: they are a small part of a step, and have most of a plugin's own code.
struct TrialCounter {
    /// What was counted, by type.
    private(set) var counted: [String: TrialCosts.Instructions] = [:]
    /// The types whose steps are counted.
    private var types: Set<String>
    /// Those of which the answers alone decide nothing.
    private var undecided: Set<String> = []
    /// The number of steps so far, by type.
    private var seen: [String: Int] = [:]

    /// The most instructions of one step.
    private let longest: UInt64
    /// How many instructions of a type make a further step unnecessary that shows nothing.
    private static let enough: UInt64 = 20_000

    /// Held while a step is counted, because SIGTRAP belongs to the whole process.
    private static let turn = Mutex(())

    /// Called with true before a step is counted, and afterwards with false.
    private let onCount: (Bool) -> Void

    /// What one side took for a step.
    private final class Count: Sendable {
        /// The instructions.
        let instructions = Atomic<UInt64>(0)
        /// The number of parts of answers that ran, where these are what was counted: one more after each output.
        let answers = Atomic<Int>(0)

        /// Lets a side do a step, and counts.
        func run(_ step: PastStep, by side: any TrialSide, _ part: TrialCosts.Instructions.Part) {
            _ = gatehouse_take_steps()
            switch part {
            case .answers:
                side.dispatch(step) { [self] begins in
                    guard begins else { return gatehouse_pause_steps() }
                    answers.add(1, ordering: .relaxed)
                    gatehouse_begin_steps()
                }
            case .whole:
                gatehouse_begin_steps()
                side.dispatch(step)
                gatehouse_pause_steps()
            }
            instructions.store(gatehouse_take_steps(), ordering: .relaxed)
        }
    }

    /// A counter that has counted nothing.
    ///
    /// - Parameters:
    ///   - longest: the most instructions of one step; of what takes more, nothing is said.
    ///   - onCount: called with true before a step is counted, and afterwards with false.
    init(of types: Set<String>, longest: UInt64 = 2_000_000, _ onCount: @escaping (Bool) -> Void) {
        (self.types, self.longest, self.onCount) = (types, longest, onCount)
    }

    /// Lets both sides do a step, and counts its instructions if it is one to count; neither has other work.
    mutating func dispatch(_ step: PastStep, _ before: TrialWorker, _ now: TrialWorker) {
        guard wants(step) else {
            before.side.dispatch(step)
            return now.side.dispatch(step)
        }
        onCount(true)
        count(step, before, now)
        onCount(false)
    }

    /// Whether this step of a type is one to count: the fourth, and some later ones; the first ones do what is done once, such as looking
    /// types up.
    private mutating func wants(_ step: PastStep) -> Bool {
        let type = step.root.type
        guard types.contains(type) else { return false }
        let number = seen[type, default: 0] + 1
        seen[type] = number
        guard [4, 6, 16, 64, 128].contains(number) else { return false }
        guard let found = counted[type] else { return true }
        // One step alone tells nobody that he is slow.
        if found.areMore { return !found.isDecided }
        return undecided.contains(type) && found.part == .answers || found.before < Self.enough
    }

    /// Lets both sides do a step, and counts the instructions; at the same time where there are two threads.
    ///
    /// On one thread every other step of a type begins with the candidate: who comes second finds the memory as the first has left it, and
    /// takes more. Where the processor cannot count, both only do it.
    private mutating func count(_ step: PastStep, _ before: TrialWorker, _ now: TrialWorker) {
        let part: TrialCosts.Instructions.Part = undecided.contains(step.root.type) ? .whole : .answers
        let known = counted[step.root.type]
        let isTurned = now.lane == nil && known?.part == part && (known?.steps ?? 0) % 2 == 1
        let (reference, candidate) = (Count(), Count())
        let canCount = Self.turn.withLock { _ in
            guard gatehouse_claim_steps(longest) == 0 else { return false }
            let second: @Sendable (any TrialSide) -> Void = { candidate.run(step, by: $0, part) }
            if isTurned {
                gatehouse_limit_steps(2 * TrialCosts.Instructions.most(over: known?.average ?? 0))
                now.begin(second)
                now.wait()
                gatehouse_limit_steps(longest)
            }
            before.begin { side in
                reference.run(step, by: side, part)
                // Of the candidate no more than what decides.
                gatehouse_limit_steps(
                    TrialCosts.Instructions.most(over: reference.instructions.load(ordering: .relaxed)))
            }
            if !isTurned {
                now.begin(second)
                now.wait()
            }
            before.wait()
            gatehouse_release_steps()
            return true
        }
        guard canCount else {
            before.side.dispatch(step)
            return now.side.dispatch(step)
        }
        note(part, of: step.root.type, reference, candidate)
    }

    /// Takes note of what both sides took for a step of a type.
    private mutating func note(
        _ part: TrialCosts.Instructions.Part, of type: String, _ reference: Count, _ candidate: Count
    ) {
        let before = reference.instructions.load(ordering: .acquiring)
        let isAnswered = reference.answers.load(ordering: .acquiring) > 0
        let areAlike =
            reference.answers.load(ordering: .acquiring) == candidate.answers.load(ordering: .acquiring)
        if part == .answers, !isAnswered || !areAlike {
            // Where the sides answer differently, or nobody answers, only the whole step says something.
            undecided.insert(type)
            return
        }
        guard before < longest else {
            // The reference was not counted to its end, and nothing can be said.
            types.remove(type)
            return
        }
        var found = counted[type] ?? TrialCosts.Instructions(part)
        if found.part != part { found = TrialCosts.Instructions(part) }
        found.add(before: before, now: candidate.instructions.load(ordering: .acquiring))
        counted[type] = found
        if part == .answers, !found.areMore { undecided.insert(type) }
    }
}
