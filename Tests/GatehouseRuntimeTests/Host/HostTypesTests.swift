// SPDX-License-Identifier: Apache-2.0

import CAllocations
import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// Input with endless different types.
@Suite(.timeLimit(.minutes(10))) struct HostTypesTests {
    /// Notes the names it hears, and how much memory is in use at its own marks.
    private struct Listener: Plugin {
        typealias Action = AnyAction

        /// What was heard last, and the memory in use at each mark.
        static let record = Mutex((name: "", count: 0, marks: [Int]()))

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                record.withLock {
                    $0.name = action.type.name
                    $0.count += 1
                    if $0.name.hasPrefix("orders/mark") { $0.marks.append(Int(bytes_in_use())) }
                }
                return .doNothing
            }
        }
    }

    /// How many types pass by; half of them are heard, under names of their own.
    #if DEBUG
        private static let hostileTypes = 40_000
    #else
        private static let hostileTypes = 1_000_000
    #endif

    /// Runs the input through a host; what must hold is said on standard output when it does not.
    private static func run() throws {
        let folder = try TemporaryFolder()
        var text = "{\"type\":\"a/orders/mark/1\"}\n"
        for number in 0..<hostileTypes {
            text += "{\"type\":\"\(number & 1 == 0 ? "a/orders" : "nobody")/\(number)\",\"payload\":1}\n"
        }
        text += "{\"type\":\"a/orders/mark/2\"}\n{\"type\":\"a/orders/new\"}\n"
        let input = try folder.write(text, to: "input")
        text = ""
        let version = try #require(SemanticVersion("1.0.0"))
        let assembly = try Assembly(
            linking: [
                LinkedPlugin(
                    entry: InstanceConfiguration(id: "a"),
                    manifest: PluginManifest(
                        id: "listener", version: version, summary: "", principal: "Listener",
                        consumes: ["orders/*"], emits: []),
                    exports: PluginEntry.exports(of: Listener.self))
            ],
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { print($0) }))
        let host = Host(assembly, reports: Reporter { print($0) })
        let descriptor = unsafe open(input, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure("open \(input)") }
        defer { close(descriptor) }
        let summary = try host.run([.stream(descriptor, name: "input")], isStrict: true)
        let (name, count, marks) = Listener.record.withLock { ($0.name, $0.count, $0.marks) }
        if summary.lines != hostileTypes + 3 || summary.rejected != 0 { print(summary) }
        if name != "orders/new" { print("heard last: \(name)") }
        if count != hostileTypes / 2 + 3 { print("heard: \(count)") }
        if marks.count != 2 || marks[1] - marks[0] >= 5 << 20 { print("memory in use: \(marks)") }
        withExtendedLifetime(folder) {}
    }

    @Test func `a million different types change nothing, and a new type that a pattern hears is heard`()
        async
    {
        // In a process of its own, because the heap is measured.
        let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            guard allocations_are_counted() else { return }
            try Self.run()
        }
        #expect(String(decoding: ended?.standardOutputContent ?? [], as: UTF8.self) == "")
    }
}
