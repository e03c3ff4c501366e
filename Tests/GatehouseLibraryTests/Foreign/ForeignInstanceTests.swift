// SPDX-License-Identifier: Apache-2.0

import CGatehouse
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseLibrary

/// What a foreign plugin is told, function by function, and the state that it keeps.
@Suite(.timeLimit(.minutes(10))) struct ForeignInstanceTests {
    /// What instances were told, by their numbers.
    private static let lines = Mutex<[UInt64: [String]]>([:])

    /// What an instance was told, in order.
    private func told(_ instance: ForeignInstance) -> [String] {
        let number = instance.port.number
        return Self.lines.withLock { $0[number] ?? [] }
    }

    /// An instance of a plugin whose state is 0 at first and 1 after any action, but no JSON after the action "bad".
    private func makeInstance(
        report: @escaping (Misfit) -> Void = { _ in }
    ) throws -> ForeignInstance {
        var table = unsafe gatehouse_foreign_plugin_v1()
        unsafe table.size = UInt32(MemoryLayout<gatehouse_foreign_plugin_v1>.size)
        unsafe table.state_version = 1
        unsafe table.initial_state = { _, _, receiver in unsafe receiver.give(Array("0".utf8)) }
        unsafe table.reduce = { _, _, action, _, receiver in
            unsafe receiver.give(Array((action?.pointee.type.string == "bad" ? "{" : "1").utf8))
        }
        unsafe table.handle = { _, instance, action in
            guard let action = unsafe action?.pointee else { return 0 }
            let line = unsafe "\(action.type.string ?? "")(\(action.payload.string ?? ""))"
            ForeignInstanceTests.lines.withLock { $0[instance, default: []].append(line) }
            return 0
        }
        unsafe table.destroy = { _, instance in
            let isThere = ForeignPorts.port(instance) != nil
            ForeignInstanceTests.lines.withLock {
                $0[instance, default: []].append("destroyed, with\(isThere ? "" : "out") a port")
            }
        }
        unsafe table.gate_changed = { _, instance, isOpen in
            ForeignInstanceTests.lines.withLock { $0[instance, default: []].append("gate \(isOpen)") }
        }
        let plugin = try unsafe withUnsafePointer(to: table) {
            unsafe try ForeignPlugin(copying: UnsafeRawPointer($0))
        }
        return try ForeignInstance(
            of: plugin, id: "p", settings: [:], text: ForeignActionText(), report: report)
    }

    @Test func `an action comes with its own name and payload, whatever came before it`() throws {
        let instance = try makeInstance()
        let actions = [
            AnyAction("one", payload: 1), AnyAction("one", payload: [2]), AnyAction("two"),
            AnyAction("one", payload: 1),
        ]
        for action in actions { #expect(!instance.handle(action)) }
        #expect(told(instance) == ["one(1)", "one([2])", "two()", "one(1)"])
    }

    @Test func `a gate is 1 when it has opened, and 0 when it has closed`() throws {
        let instance = try makeInstance()
        for gate in [GateState.active, .bypass, .active] { instance.gateChanged(to: gate) }
        #expect(told(instance) == ["gate 1", "gate 0", "gate 1"])
    }

    @Test func `an object that is destroyed cannot reach the host any more`() throws {
        var instance: ForeignInstance? = try makeInstance()
        let number = try #require(instance?.port.number)
        #expect(ForeignPorts.port(number) != nil)
        instance = nil
        #expect(Self.lines.withLock { $0[number] } == ["destroyed, without a port"])
    }

    @Test func `a state that is no JSON is told, and the one before stays`() throws {
        let misfits = Mutex<[String]>([])
        let instance = try makeInstance { misfit in misfits.withLock { $0.append("\(misfit)") } }
        let box = ForeignSliceBox(instance)
        #expect(box.reduce(AnyAction("bad")) == .unchanged)
        #expect(try box.encode() == 0)
        #expect(box.reduce(AnyAction("one")) == .changed)
        let told = misfits.withLock { $0 }
        #expect(told.count == 1 && told[0].contains("expected a state that is JSON"), "\(told)")
    }

    @Test func `the state is the plugin's first one until the plugin or the host gives another`() throws {
        let instance = try makeInstance()
        let box = ForeignSliceBox(instance)
        #expect(try box.encode() == 0)
        #expect(box.reduce(AnyAction("one")) == .changed)
        #expect(try box.encode() == 1)
        try box.restore(["count": [7]])
        #expect(try box.encode() == ["count": [7]])
        #expect(instance.port.state == Array(#"{"count":[7]}"#.utf8))
    }
}
