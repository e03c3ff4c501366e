// SPDX-License-Identifier: Apache-2.0

import CGatehouse
import GatehouseHostTesting
import GatehouseSDK
import GatehouseValue
import Synchronization
import Testing

@testable import GatehouseLibrary

/// What a foreign plugin may ask of the host, and when.
@Suite(.timeLimit(.minutes(10))) struct ForeignPortTests {
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
                UInt32(host.now(instance)), host.replace(instance, &action), host.expect_long(instance, 1),
                host.fail(instance, &action, text),
            ]
        }
    }

    @Test func `what is asked for an instance that is gone is not done, on any thread`() async throws {
        var instance: ForeignInstance? = try makeInstance()
        let number = try #require(instance?.port.number)
        instance = nil
        let answers = try await TestThread.value { Self.answers(number) }
        #expect(answers == [1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1])
        #expect(Self.answers(0) == answers)
    }

    @Test func `before the start there is nothing to emit to, and a line is kept`() throws {
        let instance = try makeInstance()
        let answers = withExtendedLifetime(instance) { Self.answers(instance.port.number) }
        #expect(answers == [4, 0, 4, 0, 1, 3, 0, 3, 4, 4, 4, 0, 4, 4, 4])
        let record = Record()
        instance.port.provide(
            HostServices(
                instance: "i",
                log: PluginLog { level, line in record.lines.withLock { $0.append("\(level) \(line)") } },
                clock: nil, dataDirectory: nil))
        #expect(record.lines.withLock { $0 } == ["info one"])
    }

    @Test func `what is emitted for no work goes to the instance's own output, and for unknown work nowhere`()
        throws
    {
        let instance = try makeInstance()
        let record = Record()
        instance.port.open(
            AnyActionHandler { dispatched in
                record.lines.withLock { $0.append("\(dispatched.action.type)") }
            })
        let host = unsafe ForeignHostTable.address.pointee
        let answers = ([0, 7] as [gatehouse_work]).map { work in
            unsafe withForeignText(Array("work\(work)".utf8)) { text in
                var action = unsafe gatehouse_action(
                    type: text, payload: gatehouse_text(bytes: nil, count: 0), is_error: 0, reserved: 0)
                return unsafe host.emit(instance.port.number, work, &action)
            }
        }
        #expect(answers == [0, 1])
        #expect(record.lines.withLock { $0 } == ["work0"])
    }

    @Test func `the last announcement of long work counts, until it is taken back or the instance is gone`()
        throws
    {
        let record = Record()
        let say = { @Sendable (line: String) in record.lines.withLock { $0.append(line) } }
        var instance: ForeignInstance? = try makeInstance()
        let number = try #require(instance?.port.number)
        instance?.port.provide(
            HostServices(
                instance: "i", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil
            ).hosted(
                longWork: LongWork { limit in
                    say("begin \(limit)")
                    return { say("end \(limit)") }
                }))
        let host = unsafe ForeignHostTable.address.pointee
        for nanoseconds in [2_000_000_000, 3_000_000_000, 0, .max] as [UInt64] {
            let answer = host.expect_long(number, nanoseconds)
            #expect(answer == 0)
        }
        instance = nil
        #expect(
            record.lines.withLock { $0 } == [
                "begin 2.0 seconds", "begin 3.0 seconds", "end 2.0 seconds", "end 3.0 seconds",
                "begin 3600.0 seconds", "end 3600.0 seconds",
            ])
    }

    // MARK: - Work that waits

    /// What plugins were told to do, as the key and the memo.
    private static let performed = Mutex<[String]>([])
    /// The numbers of the work that plugins began, by its memo.
    private static let begun = Mutex<[String: [UInt64]]>([:])

    /// Keeps what is to begin.
    private final class Hold: EffectHold, @unchecked Sendable {
        /// What was not begun; touched by the thread of the test only.
        var waiting: [() -> Void] = []

        func wait(_ begin: @escaping () -> Void) { waiting.append(begin) }
    }

    /// A store whose only middleware is a plugin that begins work for each action, with the payload as the memo.
    private func makeStore(_ effects: EffectExecution) throws -> Store<AnyAction, Slice> {
        var table = unsafe gatehouse_foreign_plugin_v1()
        unsafe table.size = UInt32(MemoryLayout<gatehouse_foreign_plugin_v1>.size)
        unsafe table.handle = { _, instance, action in
            guard let action = unsafe action else { return 0 }
            let work = unsafe ForeignHostTable.address.pointee.begin_when_kept(
                instance, gatehouse_text(), 0, action.pointee.payload)
            let memo = unsafe action.pointee.payload.string ?? ""
            ForeignPortTests.begun.withLock { $0[memo, default: []].append(work) }
            return 0
        }
        unsafe table.perform = { _, instance, work, key, memo in
            let told = unsafe "\(key.string ?? "") \(memo.string ?? "")"
            ForeignPortTests.performed.withLock { $0.append(told) }
            _ = unsafe ForeignHostTable.address.pointee.end(instance, work)
        }
        let plugin = try unsafe withUnsafePointer(to: table) {
            unsafe try ForeignPlugin(copying: UnsafeRawPointer($0))
        }
        let instance = try ForeignInstance(of: plugin, id: "p", settings: [:], text: ForeignActionText()) {
            _ in
        }
        let services = HostServices(
            instance: "i", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil
        ).hosted(effectKey: { "key" })
        return Store(
            StoreParts(
                initialState: Slice(), reducer: .identity,
                middleware: AnyMiddleware(ForeignMiddleware(instance, services))), effects: effects)
    }

    @Test func `work that is held counts as running, and is done when it is let`() throws {
        let hold = Hold()
        let store = try makeStore(.held(hold))
        let memo = "\"held\""
        store.dispatch(AnyAction("order", payload: "held"))
        #expect(!Self.performed.withLock { $0.contains("key \(memo)") })
        #expect(store.activity.running == 1)
        for begin in hold.waiting { begin() }
        #expect(Self.performed.withLock { $0.filter { $0.hasSuffix(memo) } } == ["key \(memo)"])
        #expect(store.activity.running == 0)
    }

    @Test func `work that is held and of which is let go ends without having been done`() throws {
        let hold = Hold()
        let store = try makeStore(.held(hold))
        store.dispatch(AnyAction("order", payload: "let go"))
        #expect(store.activity.running == 1)
        hold.waiting = []
        #expect(store.activity.running == 0)
        #expect(!Self.performed.withLock { $0.contains { $0.contains("let go") } })
    }

    @Test func `work that is not to be done has numbers like any other, and never runs`() throws {
        let store = try makeStore(.stubbed)
        for _ in 1...2 { store.dispatch(AnyAction("order", payload: "stubbed")) }
        #expect(Self.begun.withLock { $0["\"stubbed\""] } == [1, 2])
        #expect(store.activity.stubbed == 2)
        #expect(store.activity.running == 0)
        #expect(!Self.performed.withLock { $0.contains { $0.contains("stubbed") } })
    }

    @Test func `no number is given twice`() throws {
        let first = try makeInstance().port.number
        #expect(try makeInstance().port.number > first)
    }

    // MARK: - Texts

    @Test func `a text has an address and at most a gibibyte, or no bytes`() {
        let bytes = Array("text".utf8)
        unsafe withForeignText(bytes) { text in
            #expect(unsafe text.string == "text")
            #expect(unsafe text.buffer?.count == 4)
            for (count, isTaken) in [(0, true), (1 << 30, true), (1 << 30 + 1, false), (UInt64.max, false)] {
                let other = unsafe gatehouse_text(bytes: text.bytes, count: count)
                #expect(unsafe other.buffer?.count == (isTaken ? Int(count) : nil))
            }
        }
        #expect(unsafe gatehouse_text(bytes: nil, count: 0).string == "")
        #expect(unsafe gatehouse_text(bytes: nil, count: 1).buffer == nil)
        #expect(unsafe gatehouse_text(bytes: nil, count: 1).string == nil)
    }

    @Test func `the last text that a plugin gives is taken, and none where it gives none`() {
        let last = unsafe ReceivedText.of { receiver in
            for text in ["one", "two"] { unsafe receiver.give(Array(text.utf8)) }
        }
        #expect(last == Array("two".utf8))
        #expect(unsafe ReceivedText.of { _ in } == nil)
        #expect(unsafe ReceivedText.of { unsafe $0.give([]) } == [])
        // Nobody receives.
        unsafe gatehouse_receiver(context: nil, receive: nil).give([1])
    }

    @Test func `the answers have the numbers of the header`() {
        let refusals: [ForeignRefusal] = [.gone, .invalid, .absent, .notNow]
        #expect(refusals.map(\.rawValue) == [1, 2, 3, 4])
    }

    @Test func `before there is a log 64 lines are kept, and each is told once`() throws {
        let instance = try makeInstance()
        for number in 0..<66 { try instance.port.log(.warning, "\(number)") }
        let record = Record()
        let services = HostServices(
            instance: "i",
            log: PluginLog { level, line in record.lines.withLock { $0.append("\(level) \(line)") } },
            clock: nil, dataDirectory: nil)
        instance.port.provide(services)
        #expect(record.lines.withLock { $0 } == (0..<64).map { "warning \($0)" })
        instance.port.provide(services)
        try instance.port.log(.info, "more")
        #expect(record.lines.withLock { $0.dropFirst(64) } == ["info more"])
    }

    @Test func `an objection and a replacement belong to their calls, and are taken once`() throws {
        let instance = try makeInstance()
        let port = instance.port
        let objection = ForeignPort.Objection(place: JSONPointer(tokens: ["a"]), reason: "no")
        #expect(throws: ForeignRefusal.notNow) { try port.refuse(objection) }
        #expect(throws: ForeignRefusal.notNow) {
            try port.during(.reduce) { Result { try port.refuse(objection) } }.get()
        }
        try port.during(.create) { Result { try port.refuse(objection) } }.get()
        #expect(throws: ForeignRefusal.notNow) { try port.refuse(objection) }
        #expect(port.takeObjection()?.reason == "no")
        #expect(port.takeObjection()?.reason == nil)
        #expect(port.takeReplacement() == nil)
        port.state = [1]
        #expect(port.state == [1])
        port.close()
        #expect(port.state == nil)
        #expect(throws: ForeignRefusal.gone) { try port.log(.info, "late") }
        withExtendedLifetime(instance) {}
    }
}
