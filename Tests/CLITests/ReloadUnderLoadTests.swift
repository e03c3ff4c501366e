// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What becomes of actions while the configuration changes again and again.
///
/// `GATEHOUSE_RELOADS` sets the number of reloads, and with it that of actions: 5,000 for each.
@Suite(.timeLimit(.minutes(120))) struct ReloadUnderLoadTests {
    /// How often the configuration changes.
    private static let reloads =
        unsafe getenv("GATEHOUSE_RELOADS").flatMap { unsafe Int(String(cString: $0)) } ?? 12
    /// The number of writers that send at the same time.
    private static let writers = 4

    /// The configuration before the change with a number; each differs from the one before it in another way.
    private static func configuration(_ number: Int) -> String {
        let step = [0: 3, 1: 2][number % 6] ?? 1
        let gate = number % 6 == 2 ? "bypass" : "active"
        let steady = (0..<writers).map { #"{ "id": "w\#($0)", "library": "libCounterPlugin.so" }"# }
        let other =
            #"{ "id": "other", "library": "libOther.so", "settings": { "step": \#(step) }, "gate": "\#(gate)" }"#
        let entries = number % 6 == 3 ? [other] + steady : steady + [other]
        return """
            { "stateFile": "state.json", "discovery": "ignore", "ingress": { "listen": ["unix:in.sock"] },
              "plugins": [\(entries.joined(separator: ", "))] \(number % 6 == 5 ? "" : "}")
            """
    }

    @Test func `no action is lost, doubled or overtaken while the configuration changes`() throws {
        let scene = try Scene(Self.configuration(0), libraries: ["CounterPlugin"])
        try scene.addLibrary("CounterPlugin", as: "libOther.so")
        let sound = try FileSystem.read(scene.folder("plugins/libOther.so"))
        let child = try scene.start(["--print", "actions"])
        try child.waitForErrors("gatehouse: listening at in.sock\n")
        let count = Self.reloads * 5_000 / Self.writers
        let connections = try (0..<Self.writers).map { _ in try LocalConnection(scene.folder("in.sock")) }
        let threads = try connections.enumerated().map { index, connection in
            try TestWriter {
                for number in 0..<count {
                    connection.write("{\"type\":\"w\(index)/increment\",\"meta\":{\"n\":\(number)}}\n")
                }
                connection.write("mark\n")
            }
        }
        var generation = 1
        for number in 1...Self.reloads {
            switch number % 6 {
            case 4:
                // Other bytes of the same plugin.
                try FileSystem.write(
                    sound + [UInt8](repeating: UInt8(number & 255), count: number),
                    to: scene.folder("plugins/libOther.new"))
                try FileSystem.rename(
                    scene.folder("plugins/libOther.new"), to: scene.folder("plugins/libOther.so"))
            default: break
            }
            try scene.folder.write(Self.configuration(number), to: "plugins.json")
            child.signal(SIGHUP)
            if number % 6 == 5 {
                try child.waitForErrors("generation \(generation) runs on\n")
            } else {
                generation += 1
                try child.waitForErrors("gatehouse: generation \(generation) runs, ")
            }
        }
        for number in 1...Self.writers { try child.waitForErrors("in.sock#\(number):\(count + 1):1: ") }
        for thread in threads { thread.join() }
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0)

        // Each writer's actions, in its order, once.
        var next = [Int](repeating: 0, count: Self.writers)
        for line in outcome.output.split(separator: "\n") {
            let action = try JSONText.parse(Array(line.utf8))
            guard case .string(let type) = action["type"], type.hasPrefix("w"),
                let writer = type.dropFirst().first?.wholeNumberValue
            else { continue }
            try #require(action["meta"]?["n"] == Value(next[writer]), "\(line)")
            next[writer] += 1
        }
        #expect(next == [Int](repeating: count, count: Self.writers))
        // And what they led to.
        let saved = try JSONText.parse(Array(try scene.folder.read("state.json").utf8))
        for writer in 0..<Self.writers {
            #expect(saved["instances"]?["w\(writer)"]?["state"]?["count"] == Value(count))
        }
        // They were never made anew: each change is told, and none is theirs.
        for line in outcome.errorLines where line.contains(" runs, after ") {
            #expect(!line.contains("replace w") && !line.contains("start w"), "\(line)")
        }
    }
}
