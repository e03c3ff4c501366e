// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import HTTPPlugin

/// What the operator is told of clients.
@Suite(.timeLimit(.minutes(10))) struct ThrottledLogTests {
    @Test func `the first of a kind is told at once, and each round tells how many more there were`() {
        let told = Mutex<[String]>([])
        let services = HostServices(
            instance: "http",
            log: PluginLog { level, line in told.withLock { $0.append("\(level): \(line)") } },
            clock: nil, dataDirectory: nil)
        let context = HTTP.Context(settings: HTTP.Settings(), services: services)
        let throttledLog = ThrottledLog(log: context.log, count: context.count)
        func lines(_ body: () -> Void) -> [String] {
            told.withLock { $0 = [] }
            body()
            return told.withLock { $0 }
        }
        #expect(lines { throttledLog.note(.token, "a") } == ["warning: a"])
        #expect(lines { throttledLog.note(.token, "b") } == [])
        #expect(lines { throttledLog.tick() } == ["warning: … and 1 more like it, the last: b"])
        #expect(lines { for sentence in ["c", "d"] { throttledLog.note(.token, sentence) } } == [])
        #expect(lines { throttledLog.tick() } == ["warning: … and 2 more like it, the last: d"])
        // A quiet round.
        #expect(lines { throttledLog.tick() } == [])
        #expect(lines { throttledLog.note(.token, "e") } == ["warning: e"])
    }

    @Test func `each kind is told by itself, in one order`() {
        let told = Mutex<[String]>([])
        let services = HostServices(
            instance: "http",
            log: PluginLog { _, line in told.withLock { $0.append(line) } },
            clock: nil, dataDirectory: nil)
        let context = HTTP.Context(settings: HTTP.Settings(), services: services)
        let throttledLog = ThrottledLog(log: context.log, count: context.count)
        for kind in [ThrottledLog.Kind.protocolError, .signature, .signature, .origin, .origin, .origin] {
            throttledLog.note(kind, kind.rawValue)
        }
        #expect(told.withLock { $0 } == ["protocol", "signature", "origin"])
        throttledLog.tick()
        #expect(
            told.withLock { $0.dropFirst(3) } == [
                "… and 1 more like it, the last: signature", "… and 2 more like it, the last: origin",
            ])
        // The one that was quiet is told at once, the others were not.
        for kind in [ThrottledLog.Kind.protocolError, .signature] { throttledLog.note(kind, "again") }
        #expect(told.withLock { $0.dropFirst(5) } == ["again"])
    }
}
