// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseHistory
@testable import GatehouseJournal
@testable import GatehouseRuntime

#if arch(x86_64)
    /// Which steps are counted, and what that says.
    @Suite(.timeLimit(.minutes(10))) struct TrialCounterTests {
        /// A side that works so long, and no other.
        private final class Side: TrialSide {
            /// How long each answer to the step with a number takes, in rounds.
            let answers: (UInt64) -> [Int]
            /// How long the rest of a step takes, in rounds.
            let rest: Int
            /// What is reckoned, so that no compiler leaves it out.
            private let sum = Atomic<Int>(0)
            /// The steps that were watched.
            private(set) var watched: [UInt64] = []
            /// The steps so far.
            private(set) var steps: [UInt64] = []

            init(rest: Int = 0, answers: @escaping (UInt64) -> [Int]) {
                (self.answers, self.rest) = (answers, rest)
                // An array that grows in a counted step takes what the allocator of its thread happens to take.
                steps.reserveCapacity(256)
                watched.reserveCapacity(256)
            }

            func swapLog(_ log: inout ConsequenceLog) {}

            func dispatch(_ step: PastStep) { work(step) { _ in } }

            func dispatch(_ step: PastStep, watching watch: @escaping (Bool) -> Void) {
                watched.append(step.root.sequence)
                work(step, watch)
            }

            func state(after sequence: UInt64) throws(PastFailure) -> Value { nil }

            /// Does a step.
            private func work(_ step: PastStep, _ watch: (Bool) -> Void) {
                steps.append(step.root.sequence)
                for rounds in answers(step.root.sequence) {
                    watch(true)
                    spend(rounds)
                    watch(false)
                }
                spend(rest)
            }

            #if DEBUG
                /// How often a round reckons: about 40 instructions each time.
                private static let times = 1
            #else
                /// How often a round reckons: at least 3 instructions each time.
                private static let times = 12
            #endif

            /// Takes some 40 instructions for each round.
            @inline(never) private func spend(_ rounds: Int) {
                for _ in 0..<rounds * Self.times { sum.add(1, ordering: .relaxed) }
            }
        }

        /// Lets two sides do so many steps of one type, and returns what was counted.
        private func counted(
            _ before: Side, _ now: Side, steps count: UInt64 = 20, longest: UInt64 = 2_000_000,
            onThreads: Bool = false
        ) -> TrialCosts.Instructions? {
            var counter = TrialCounter(of: ["a"], longest: longest) { _ in }
            let lanes = onThreads ? (TrialLane(), TrialLane()) : (nil, nil)
            let sides = (TrialWorker(before, in: lanes.0), TrialWorker(now, in: lanes.1))
            for number in 1...count {
                let root = JournalRecord(
                    sequence: number, epoch: 1, generation: 1, batchTime: 0, cause: .unknown, file: "in",
                    line: 1,
                    instance: nil, time: nil, bytes: Array(#"{"type":"a"}"#.utf8), encodingFailure: nil)
                counter.dispatch(PastStep(root: root, changesBefore: [], consequences: []), sides.0, sides.1)
            }
            lanes.0?.end()
            lanes.1?.end()
            #expect(before.steps == Array(1...count) && now.steps == before.steps)
            #expect(before.watched == now.watched)
            return counter.counted["a"]
        }

        @Test(arguments: [false, true])
        func `answers that take longer decide in two steps`(onThreads: Bool) throws {
            let (before, now) = (Side(rest: 400) { _ in [150] }, Side(rest: 400) { _ in [300] })
            let found = try #require(counted(before, now, onThreads: onThreads))
            #expect(found.part == .answers && found.steps == 2 && found.isDecided, "\(found)")
            #expect(before.watched == [4, 6])
            // Only as far as it decides.
            #expect(found.now <= found.before * 5 / 4 + 2, "\(found)")
        }

        @Test(arguments: [false, true])
        func `what takes longer after the answers is found in whole steps`(onThreads: Bool) throws {
            let (before, now) = (Side(rest: 150) { _ in [30] }, Side(rest: 300) { _ in [30] })
            let found = try #require(counted(before, now, onThreads: onThreads))
            #expect(found.part == .whole && found.steps == 2 && found.isDecided, "\(found)")
            #expect(before.watched == [4])
        }

        @Test(arguments: [false, true]) func `of the same work nothing is told`(onThreads: Bool) throws {
            let (before, now) = (Side(rest: 50) { _ in [150] }, Side(rest: 50) { _ in [150] })
            let found = try #require(counted(before, now, steps: 130, onThreads: onThreads))
            #expect(found.part == .whole && !found.areMore, "\(found)")
            #expect(found.before.distance(to: found.now).magnitude < 1_000, "\(found)")
        }

        @Test(arguments: [UInt64(4), 6], [false, true])
        func `what one step alone does is not told`(step: UInt64, onThreads: Bool) throws {
            let (before, now) = (Side { _ in [150] }, Side { $0 == step ? [1_500] : [150] })
            let found = try #require(counted(before, now, steps: 130, onThreads: onThreads))
            #expect(!found.areMore, "\(found)")
        }

        @Test func `where another number of instances answers, whole steps decide`() throws {
            let (before, now) = (Side(rest: 900) { _ in [30] }, Side(rest: 900) { _ in [30, 90] })
            let found = try #require(counted(before, now))
            #expect(found.part == .whole && !found.areMore, "\(found)")
            #expect(before.watched == [4])
        }

        @Test(arguments: [false, true])
        func `nothing is told where the reference was not counted to its end`(onThreads: Bool) {
            let (before, now) = (Side { _ in [1_000] }, Side { _ in [100] })
            #expect(counted(before, now, longest: 10_000, onThreads: onThreads) == nil)
            #expect(before.watched == [4])
        }

        @Test func `on one thread the candidate begins every other step that is counted`() {
            var order: [String] = []
            let before = Side {
                order.append("\($0) before")
                return [150]
            }
            let now = Side {
                order.append("\($0) now")
                return [300]
            }
            _ = counted(before, now, steps: 6)
            #expect(
                Array(order.suffix(6)) == [
                    "4 before", "4 now", "5 before", "5 now", "6 now", "6 before",
                ])
        }

        @Test func `other types are not counted`() {
            var counter = TrialCounter(of: ["b"]) { _ in Issue.record("nothing is to be counted") }
            let sides = (TrialWorker(Side { _ in [1] }), TrialWorker(Side { _ in [2] }))
            for number in UInt64(1)...10 {
                let root = JournalRecord(
                    sequence: number, epoch: 1, generation: 1, batchTime: 0, cause: .unknown, file: "in",
                    line: 1,
                    instance: nil, time: nil, bytes: Array(#"{"type":"a"}"#.utf8), encodingFailure: nil)
                counter.dispatch(PastStep(root: root, changesBefore: [], consequences: []), sides.0, sides.1)
            }
            #expect(counter.counted.isEmpty)
        }
    }
#endif
