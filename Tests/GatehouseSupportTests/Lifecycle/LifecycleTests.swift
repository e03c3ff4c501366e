// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSupport

/// The order in which the components of a process begin and end.
@Suite struct LifecycleTests {
    /// The steps taken, in order.
    private final class Steps {
        var taken: [String] = []
    }

    /// A component that notes its steps, and fails in the one whose name it is given.
    private struct Noting: Component {
        let name: String
        let steps: Steps
        let failing: String
        let ending: String?

        init(_ name: String, _ steps: Steps, failing: String = "", ending: String? = nil)
            throws(Lifecycle<String>.Ended)
        {
            (self.name, self.steps, self.failing, self.ending) = (name, steps, failing, ending)
            try take("prepare")
        }

        private func take(_ step: String) throws(Lifecycle<String>.Ended) {
            steps.taken.append("\(step) \(name)")
            if step == failing { throw Lifecycle.Ended(code: "\(name) cannot \(step)") }
        }

        func start() throws(Lifecycle<String>.Ended) { try take("start") }
        func ready() throws(Lifecycle<String>.Ended) { try take("ready") }

        func stop(_ code: String) -> String {
            steps.taken.append("stop \(name) after: \(code)")
            return ending ?? code
        }
    }

    /// Begins and ends three components, of which the second fails in one step; returns the code.
    private func run(_ steps: Steps, failing: String = "", ending: String? = nil) -> String {
        var lifecycle = Lifecycle<String>()
        var code: String
        do throws(Lifecycle<String>.Ended) {
            lifecycle.add(try Noting("A", steps))
            lifecycle.add(try Noting("B", steps, failing: failing, ending: ending))
            lifecycle.add(try Noting("C", steps))
            try lifecycle.begin()
            code = "done"
            steps.taken.append("run")
        } catch {
            code = error.code
        }
        return lifecycle.end(code)
    }

    @Test
    func
        `all are prepared before one starts, all have started before one is ready, and they stop in reverse`()
    {
        let steps = Steps()
        #expect(run(steps) == "done")
        #expect(
            steps.taken == [
                "prepare A", "prepare B", "prepare C", "start A", "start B", "start C", "ready A", "ready B",
                "ready C", "run", "stop C after: done", "stop B after: done", "stop A after: done",
            ])
    }

    @Test func `one that cannot be prepared stops those before it, and none after it`() {
        let steps = Steps()
        #expect(run(steps, failing: "prepare") == "B cannot prepare")
        #expect(steps.taken == ["prepare A", "prepare B", "stop A after: B cannot prepare"])
    }

    @Test func `one that cannot start stops all, and nothing is ready or runs`() {
        let steps = Steps()
        #expect(run(steps, failing: "start") == "B cannot start")
        #expect(
            steps.taken == [
                "prepare A", "prepare B", "prepare C", "start A", "start B", "stop C after: B cannot start",
                "stop B after: B cannot start", "stop A after: B cannot start",
            ])
    }

    @Test func `one that cannot be ready stops all, and nothing runs`() {
        let steps = Steps()
        #expect(run(steps, failing: "ready") == "B cannot ready")
        #expect(
            steps.taken == [
                "prepare A", "prepare B", "prepare C", "start A", "start B", "start C", "ready A", "ready B",
                "stop C after: B cannot ready", "stop B after: B cannot ready",
                "stop A after: B cannot ready",
            ])
    }

    @Test func `one that ends badly replaces the code, also for those that stop after it`() {
        let steps = Steps()
        #expect(run(steps, ending: "not saved") == "not saved")
        #expect(
            steps.taken.suffix(3) == ["stop C after: done", "stop B after: done", "stop A after: not saved"])
    }

    @Test func `one without steps takes part`() throws {
        struct Silent: Component { typealias Code = Int }
        var lifecycle = Lifecycle<Int>()
        lifecycle.add(Silent())
        try lifecycle.begin()
        #expect(lifecycle.end(7) == 7)
    }
}
