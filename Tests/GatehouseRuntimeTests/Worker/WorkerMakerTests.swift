// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What there must be before the process of a worker is started.
@Suite(.timeLimit(.minutes(10))) struct WorkerMakerTests {
    @Test func `a folder for data that cannot be made is told with what keeps it from being made`() throws {
        // Nobody makes folders there but the kernel.
        let parent = "/sys/gatehouse"
        let made = unsafe mkdir(parent, 0o700)
        let reason = SystemReason.last
        try #require(made != 0)
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "placement": "worker", "plugins": [{ "id": "a", "library": "libCounterPlugin.so" }] }"#,
            libraries: ["CounterPlugin"])
        let maker = WorkerMaker(
            cache: ImageCache(),
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: parent,
                report: { _ in }), debugged: [])
        let diagnostic = #expect(throws: Diagnostic.self) { _ = try maker.launch(plan.instances, of: plan) }
        #expect(
            diagnostic?.sentences == ["its folder for data, /sys/gatehouse/a, cannot be made: \(reason)"])
    }
}
