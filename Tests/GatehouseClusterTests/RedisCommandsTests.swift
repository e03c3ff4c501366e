// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct RedisCommandsTests {
    @Test func `commands are in Redis's protocol`() {
        var commands = RedisCommands()
        commands.reserve(100)
        commands.begin(words: 9)
        commands.add("größe")
        commands.add([1, 2])
        commands.add([3, 4, 5][1...])
        commands.add(-12)
        commands.add(ClusterOffset(7, 8, place: 9))
        commands.begin(bytes: 10)
        commands.append([48, 49][...])
        commands.append([50][...])
        commands.end()
        let text =
            "*9\r\n$7\r\ngröße\r\n$2\r\n\u{1}\u{2}\r\n$2\r\n\u{4}\u{5}\r\n$3\r\n-12\r\n$5\r\n7-8.9\r\n$10\r\n012\r\n"
        #expect(commands.bytes == Array(text.utf8))
        commands.removeAll()
        #expect(commands.bytes == [])
        commands.begin(words: 0)
        commands.begin(words: 123)
        commands.add("")
        #expect(commands.bytes == Array("*0\r\n*123\r\n$0\r\n\r\n".utf8))
    }
}
