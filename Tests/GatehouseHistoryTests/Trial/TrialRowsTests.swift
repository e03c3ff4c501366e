// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseHistory
@testable import GatehouseJournal
@testable import GatehouseRuntime

/// The threads on which both sides of a trial do their rows.
@Suite(.timeLimit(.minutes(10))) struct TrialRowsTests {
    /// Says when the thread ends that holds it.
    private final class Holder {
        let onEnd: @Sendable () -> Void

        init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

        deinit { onEnd() }

        /// Where each thread has what it holds, and lets go of it at its end.
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            unsafe pthread_key_create(&key) { holder in
                if let holder = unsafe holder { unsafe Unmanaged<Holder>.fromOpaque(holder).release() }
            }
            return key
        }()

        /// Lets this thread hold it.
        func hold() { unsafe pthread_setspecific(Self.key, Unmanaged.passRetained(self).toOpaque()) }
    }

    /// A side that says when the thread of its first step ends, and answers each step with so many actions.
    private final class Side: TrialSide {
        private var holder: Holder?
        private let answers: Int
        private var log = ConsequenceLog()

        init(answers: Int = 0, onEnd: @escaping @Sendable () -> Void = {}) {
            (self.answers, holder) = (answers, Holder(onEnd: onEnd))
        }

        func swapLog(_ log: inout ConsequenceLog) {
            log.removeAll()
            swap(&self.log, &log)
        }

        func dispatch(_ step: PastStep) {
            holder.take()?.hold()
            for _ in 0..<answers { log.append(AnyAction("b"), by: nil) }
            log.finish()
        }

        func dispatch(_ step: PastStep, watching watch: @escaping (Bool) -> Void) { dispatch(step) }

        func state(after sequence: UInt64) throws(PastFailure) -> Value { nil }
    }

    /// So many steps without consequences.
    private static func steps(_ count: UInt64) -> [PastStep] {
        (1...count).map { number in
            PastStep(
                root: JournalRecord(
                    sequence: number, epoch: 1, generation: 1, batchTime: 0, cause: .unknown, file: "in",
                    line: 1, instance: nil, time: nil, bytes: Array(#"{"type":"a"}"#.utf8),
                    encodingFailure: nil),
                changesBefore: [])
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `each row has what followed from its steps on either side`(isParallel: Bool, isCounted: Bool)
        async throws
    {
        let counts = try await TestThread.value {
            let rows = TrialRows(
                Side(answers: 1), Side(answers: 2), isParallel: isParallel, isMeasured: false)
            var counter: TrialCounter? = isCounted ? TrialCounter(of: []) { _ in } : nil
            var counts: [[Int]] = []
            for count in [8, 9] as [UInt64] {
                rows.begin(
                    Self.steps(count), upTo: count, comparesStates: false, keepsStates: false,
                    counting: &counter)
                while rows.take({ counts.append([$0.before.log.count, $0.now.log.count]) }) {}
            }
            rows.end()
            return counts
        }
        #expect(counts == [[8, 16], [9, 18]])
    }

    @Test func `the threads of both sides end with the rows`() async throws {
        let (ends, tell) = AsyncStream<String>.makeStream()
        try await TestThread.value {
            let rows = TrialRows(
                Side { tell.yield("before") }, Side { tell.yield("now") }, isParallel: true,
                isMeasured: false)
            var counter: TrialCounter?
            rows.begin(
                Self.steps(8), upTo: 8, comparesStates: false, keepsStates: false, counting: &counter)
            var last: UInt64 = 0
            let isTaken = rows.take { last = $0.last }
            #expect(isTaken && last == 8)
            rows.end()
        }
        var ended: Set<String> = []
        for await side in ends where ended.insert(side).inserted && ended.count == 2 { break }
        #expect(ended == ["before", "now"])
    }
}
