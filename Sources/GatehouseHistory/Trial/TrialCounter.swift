// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseJournal

/// Counts the instructions of a few steps on both sides, which decide whether a candidate is slow.
///
/// The processor is made to stop after each instruction, which needs no counters and no rights, and works in virtual machines. A step takes
/// some thousand times as long meanwhile, so it is only done for types that seem to be slow.
struct TrialCounter {
    /// What was counted, by type.
    private(set) var counted: [String: TrialCosts.Instructions] = [:]
    /// The types whose steps are counted.
    private let types: Set<String>
    /// The number of steps so far, by type.
    private var seen: [String: Int] = [:]

    /// The most instructions of one step.
    private static let longest: UInt64 = 2_000_000
    /// How many instructions of a type make a further step unnecessary.
    private static let enough: UInt64 = 20_000

    /// Called with true before a step is counted, and afterwards with false.
    private let onCount: (Bool) -> Void

    /// A counter that has counted nothing.
    ///
    /// - Parameter onCount: called with true before a step is counted, and afterwards with false.
    init(of types: Set<String>, _ onCount: @escaping (Bool) -> Void) {
        (self.types, self.onCount) = (types, onCount)
    }

    /// Lets both sides do a step, and counts its instructions if it is one to count.
    mutating func dispatch(_ step: PastStep, _ before: any TrialSide, _ now: any TrialSide) {
        guard wants(step) else {
            before.dispatch(step)
            return now.dispatch(step)
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
        return found.steps < 2 && found.areMore || found.before < Self.enough && !found.areTwice
    }

    /// Lets both sides do a step, and counts the instructions.
    ///
    /// Every other step of a type begins with the candidate: who comes second finds the memory as the first has left it, and takes more.
    /// Where the processor cannot count, both only do it.
    private mutating func count(_ step: PastStep, _ before: any TrialSide, _ now: any TrialSide) {
        if let known = counted[step.root.type], known.steps % 2 == 1 {
            let most = 2 * known.before / UInt64(known.steps) + 2 * TrialCosts.slowerBy
            guard gatehouse_begin_steps(most) == 0 else {
                before.dispatch(step)
                return now.dispatch(step)
            }
            now.dispatch(step)
            let found = gatehouse_end_steps()
            guard gatehouse_begin_steps(Self.longest) == 0 else { return before.dispatch(step) }
            before.dispatch(step)
            counted[step.root.type]?.add(before: gatehouse_end_steps(), now: found)
            return
        }
        guard gatehouse_begin_steps(Self.longest) == 0 else {
            before.dispatch(step)
            return now.dispatch(step)
        }
        before.dispatch(step)
        let first = gatehouse_end_steps()
        // No more than what decides. The reference was counted to its end, or nothing can be said.
        guard first < Self.longest, gatehouse_begin_steps(2 * first + 2 * TrialCosts.slowerBy) == 0 else {
            return now.dispatch(step)
        }
        now.dispatch(step)
        counted[step.root.type, default: TrialCosts.Instructions()].add(
            before: first, now: gatehouse_end_steps())
    }
}
