// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseRuntime

struct StateObserversTests {
    /// What observers were called with.
    private final class Calls: Sendable {
        let all = Mutex<[String]>([])

        func add(_ call: String) { all.withLock { $0.append(call) } }
        func take() -> [String] {
            all.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }
    }

    private let calls = Calls()
    private var observers = StateObservers()

    private func observer(_ name: String, _ policy: ShouldEmitValue<StateObservers.State> = .always)
        -> StateObservers.Observer
    {
        StateObservers.Observer(policy) { [calls] state in
            calls.add("\(name) \((try? state.get())?.json() ?? "-")")
        }
    }

    private mutating func tell(_ state: Value) -> [String] {
        let previous = observers.note(.success(state))
        for observer in observers.inOrder { observer.tell(.success(state), after: previous) }
        return calls.take()
    }

    @Test mutating func `observers are called in the order in which they were added`() {
        for number in 0..<20 { _ = observers.add(observer("\(number)"), to: .success(0)) }
        #expect(tell(1) == (0..<20).map { "\($0) 1" })
    }

    @Test mutating func `an observer that compares has the state before`() {
        _ = observers.add(observer("changed", .whenDifferent), to: .success(1))
        #expect(tell(1) == [])
        #expect(tell(2) == ["changed 2"])
    }

    @Test mutating func `one that has ended is not called, and one that is removed is let go of at once`()
        throws
    {
        let ended = observer("ended")
        let number = observers.add(ended, to: .success(0))
        _ = observers.add(observer("other"), to: .success(0))
        ended.end()
        #expect(tell(1) == ["other 1"])
        let (removed, again) = (observers.remove(number), observers.remove(number))
        #expect(removed === ended && again == nil)
        #expect(observers.inOrder.count == 1)
    }
}
