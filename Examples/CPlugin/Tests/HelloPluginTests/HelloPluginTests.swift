// SPDX-License-Identifier: Apache-2.0

import HelloPlugin
import Synchronization
import Testing

/// What the plugin asked of the host: the types and payloads that it emitted, and the lines that it wrote.
private let record = Mutex<[String]>([])

/// A text that the plugin passed.
private func string(_ text: gatehouse_text) -> String {
    String(
        decoding: UnsafeRawBufferPointer(start: text.bytes, count: Int(text.count)), as: UTF8.self)
}

/// A host that notes what it is asked.
private func makeHost() -> gatehouse_foreign_host_v1 {
    var host = gatehouse_foreign_host_v1()
    host.size = UInt32(MemoryLayout<gatehouse_foreign_host_v1>.size)
    host.abi = UInt32(GATEHOUSE_FOREIGN_ABI)
    host.emit = { _, _, action in
        guard let action = action?.pointee else { return GATEHOUSE_INVALID.rawValue }
        let line = string(action.type) + " " + string(action.payload)
        record.withLock { $0.append(line) }
        return GATEHOUSE_DONE.rawValue
    }
    host.log = { _, _, text in
        let line = string(text)
        record.withLock { $0.append(line) }
        return GATEHOUSE_DONE.rawValue
    }
    return host
}

/// Has the plugin hear an action; gives what it asked of the host.
private func hear(_ type: String, _ payload: String) throws -> [String] {
    var host = makeHost()
    return try withUnsafePointer(to: &host) { host in
        let plugin = try #require(gatehouse_foreign_v1(host)).pointee
        let hear = try #require(plugin.run_after)
        var (type, payload) = (type, payload)
        type.withUTF8 { type in
            payload.withUTF8 { payload in
                var action = gatehouse_action()
                action.type = gatehouse_text(
                    bytes: UnsafeRawPointer(type.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    count: UInt64(type.count))
                action.payload = gatehouse_text(
                    bytes: UnsafeRawPointer(payload.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    count: UInt64(payload.count))
                hear(nil, 1, &action)
            }
        }
        return record.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

@Suite(.serialized) struct HelloPluginTests {
    @Test func `a greeting holds what came with the hello`() throws {
        #expect(try hear("hello", #"{"name":"Ada"}"#) == [#"greeted {"text":"Hello!","to":{"name":"Ada"}}"#])
        #expect(try hear("hello", "") == [#"greeted {"text":"Hello!","to":null}"#])
    }

    @Test func `a name that is too long is told and not greeted`() throws {
        let name = #""\#(String(repeating: "x", count: 2_000))""#
        #expect(try hear("hello", name) == ["a name is too long to be greeted"])
    }
}
