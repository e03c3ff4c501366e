// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

@testable import AggregatePlugin
@testable import CounterPlugin
@testable import CrashReportsPlugin
@testable import FilePlugin
@testable import HTTPClientPlugin
@testable import JQPlugin
@testable import LimitPlugin
@testable import LoggerPlugin
@testable import PersistencePlugin
@testable import RulesPlugin
@testable import SchedulePlugin

/// The parts of a plugin may be made to look at them; nobody starts them then.
@Suite(.timeLimit(.minutes(10))) struct BeforeStartTests {
    /// Makes an instance and does not start it.
    private func make<P: Plugin>(_ plugin: P.Type, _ services: HostServices) throws {
        let parts = try PluginEntry.exports(of: plugin).makeParts(settings: [:]) { _ in }
        for reader in parts.readers { _ = reader.inject(services) }
        if let interceptor = parts.interceptor { _ = interceptor(services) }
        _ = try parts.slice.value()
    }

    @Test func `bundled plugins open nothing before they are started`() throws {
        let folder = try TemporaryFolder()
        let services = HostServices(
            instance: "test", log: PluginLog(minimum: .debug) { _, line in Issue.record("it said: \(line)") },
            clock: nil, dataDirectory: folder("data"), state: nil)
        try make(Aggregate.self, services)
        try make(Counter.self, services)
        try make(CrashReports.self, services)
        try make(File.self, services)
        try make(HTTPClient.self, services)
        try make(Limit.self, services)
        try make(JQ.self, services)
        try make(Logger.self, services)
        try make(Persistence.self, services)
        try make(Rules.self, services)
        try make(Schedule.self, services)
        #expect(unsafe access(folder("data"), F_OK) != 0)
    }
}
