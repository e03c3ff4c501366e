// SPDX-License-Identifier: Apache-2.0

import CGatehouse
import GatehouseHostTesting
import GatehouseSDK
import GatehouseValue
import Synchronization
import Testing

@testable import GatehouseHost

/// What a foreign plugin may ask of the host, and when.
@Suite struct ForeignPortTests {
    /// The lines that a plugin has written.
    private final class Record: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// An instance of a plugin that hears and keeps nothing.
    private func makeInstance() throws -> ForeignInstance {
        var table = unsafe gatehouse_foreign_plugin_v1()
        unsafe table.size = UInt32(MemoryLayout<gatehouse_foreign_plugin_v1>.size)
        unsafe table.run_after = { _, _, _ in }
        let plugin = try unsafe withUnsafePointer(to: table) {
            unsafe try ForeignPlugin(copying: UnsafeRawPointer($0))
        }
        return try ForeignInstance(of: plugin, id: "p", settings: [:], text: ForeignActionText()) { _ in }
    }

    /// What the host answers to each question about an instance that needs no more than its number.
    private static func answers(_ instance: UInt64) -> [UInt32?] {
        let host = unsafe ForeignHostTable.address.pointee
        let one = Array("one".utf8)
        return unsafe withForeignText(one) { text in
            var action = unsafe gatehouse_action(
                type: text, payload: gatehouse_text(bytes: nil, count: 0), is_error: 0, reserved: 0)
            let receiver = unsafe gatehouse_receiver(context: nil, receive: { _, _ in })
            return unsafe [
                host.emit(instance, 0, &action), host.log(instance, 1, text), host.health(instance, text),
                UInt32(host.begin(instance, text, 0)), host.end(instance, 1), host.cancel(instance, text),
                host.is_running(instance, 1), host.read_state(instance, receiver),
                host.read_host_state(instance, gatehouse_text(bytes: nil, count: 0), receiver),
                host.read_id(instance, receiver), host.read_data_directory(instance, receiver),
                UInt32(host.now(instance)), host.replace(instance, &action),
            ]
        }
    }

    @Test func `what is asked for an instance that is gone is not done, on any thread`() async throws {
        var instance: ForeignInstance? = try makeInstance()
        let number = try #require(instance?.port.number)
        instance = nil
        let answers = try await TestThread.value { Self.answers(number) }
        #expect(answers == [1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1])
        #expect(Self.answers(0) == answers)
    }

    @Test func `before the start there is nothing to emit to, and a line is kept`() throws {
        let instance = try makeInstance()
        let answers = withExtendedLifetime(instance) { Self.answers(instance.port.number) }
        #expect(answers == [4, 0, 4, 0, 1, 3, 0, 3, 4, 4, 4, 0, 4])
        let record = Record()
        instance.port.provide(
            HostServices(
                instance: "i",
                log: PluginLog { level, line in record.lines.withLock { $0.append("\(level) \(line)") } },
                clock: nil, dataDirectory: nil))
        #expect(record.lines.withLock { $0 } == ["info one"])
    }

    @Test func `no number is given twice`() throws {
        let first = try makeInstance().port.number
        #expect(try makeInstance().port.number > first)
    }
}
