// SPDX-License-Identifier: Apache-2.0

import CAllocations
import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime

/// Dispatch to plugins in real libraries must not allocate; the ceiling holds in release builds.
///
/// Run with `swift test --build-system native -c release -Xswiftc -enable-testing --filter HostAllocationTests`.
@Suite(.timeLimit(.minutes(10)))
struct HostAllocationTests {
    /// What all actions of a run may allocate together, for each action.
    #if DEBUG
        private static let allowedForEachAction = 60
    #else
        private static let allowedForEachAction = 0
    #endif

    /// Allocations of this thread for 10,000 dispatches of one action, after a few to warm up.
    private func allocations(of type: ActionType, in configuration: String, libraries: String...) throws
        -> Int
    {
        let folder = try TemporaryFolder()
        for library in libraries { try folder.copyLibrary(library) }
        let reporter = Reporter { Issue.record("\($0)") }
        let assembler = Assembler(
            cache: ImageCache(),
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { reporter.send($0) }))
        let planner = Planner(trust: FileTrust(isStrict: false), baseDirectory: folder.path)
        let host = Host(
            try assembler.assemble(
                planner.plan(ConfigurationParser.parse(Array(configuration.utf8), file: "plugins.json"))),
            reports: reporter)
        let action = AnyAction(type)
        let source = ActionSource(file: "test", function: "", line: 1, info: nil)
        for _ in 0..<100 { host.dispatch(action, from: source) }
        let before = allocations_of_this_thread()
        for _ in 0..<10_000 { host.dispatch(action, from: source) }
        let made = Int(allocations_of_this_thread() - before)
        #expect(host.counts.actions == 10_100)
        return made
    }

    private func expectFew(_ made: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        guard allocations_are_counted() else { return }
        #expect(made <= 10_000 * Self.allowedForEachAction, sourceLocation: sourceLocation)
    }

    @Test func `a plugin with a reducer that changes its state hears an action without an allocation`() throws
    {
        expectFew(
            try allocations(
                of: "counter/increment",
                in: #"{"directory":".","plugins":[{"id":"counter"}]}"#, libraries: "CounterPlugin"))
    }

    @Test func `a plugin with an effect middleware that does nothing hears an action without an allocation`()
        throws
    {
        expectFew(
            try allocations(
                of: "somebody/else", in: #"{"directory":".","plugins":[{"id":"rules"}]}"#,
                libraries: "RulesPlugin"))
    }

    @Test func `an action that nobody hears is dispatched without an allocation`() throws {
        expectFew(
            try allocations(
                of: "nobody/hears", in: #"{"directory":".","plugins":[{"id":"counter"}]}"#,
                libraries: "CounterPlugin"))
    }

    @Test func `an action that nobody intercepts passes the interceptors without an allocation`() throws {
        expectFew(
            try allocations(
                of: "counter/increment",
                in: #"{"directory":".","plugins":[{"id":"interceptor"},{"id":"counter"}]}"#,
                libraries: "InterceptorPlugin", "CounterPlugin"))
    }
}
