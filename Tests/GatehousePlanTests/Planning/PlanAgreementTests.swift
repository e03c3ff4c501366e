// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime

/// What a plan says and what a host over real libraries does are the same.
@Suite(.timeLimit(.minutes(10))) struct PlanAgreementTests {
    /// An entry for a counter that starts at 0 and counts from what `state` has for it.
    private func entry(_ number: Int, _ random: inout SeededGenerator) -> String {
        let inputs = [
            nil, #""a/""#, #""b/""#, #""""#, #"{ "a/*": "*" }"#, #"{ "a/x": "increment", "a/*": "*" }"#,
            #"{ "*": "reset", "b/*": "decre*", "increment": "increment" }"#,
            #"{ "a/increment": "decrement" }"#,
        ]
        let gates = [nil, #""bypass""#, #"{ "state": "/on" }"#, #"{ "state": "/off" }"#]
        var members = [#""id": "i\#(number)""#, #""library": "libCounterPlugin.so""#]
        if let input = inputs.randomElement(using: &random) ?? nil {
            members.append(#""lift": { "input": \#(input) }"#)
        }
        if let gate = gates.randomElement(using: &random) ?? nil { members.append(#""gate": \#(gate)"#) }
        return "{ " + members.joined(separator: ", ") + " }"
    }

    @Test(arguments: 1...12)
    func `who hears a type by which name is what the plan says`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try folder.copyLibrary("CounterPlugin")
        let path = folder.path
        var random = SeededGenerator(seed: seed)
        let ids = (0..<5).map { "i\($0)" }
        let entries = (0..<5).map { entry($0, &random) }
        let counts = ids.map { #""\#($0)": { "count": 5 }"# }
        let text = """
            { "directory": ".", "state": { "on": true, "off": false, \(counts.joined(separator: ", ")) },
              "plugins": [\(entries.joined(separator: ", "))] }
            """
        let disagreements = try await TestThread.value { () -> [String] in
            let outcome = ConfigurationParser.parse(Array(text.utf8), file: "plugins.json")
            let trust = FileTrust(isStrict: false)
            let plan = Planner(trust: trust, baseDirectory: path).plan(outcome)
            let extra = ["a/x", "b/decrement", "increment", "nobody/knows", "i1/reset", "a/"]
            var types = plan.routes.map(\.type).filter { !$0.hasSuffix("*") } + extra
            types.append("host/state/merge")
            return try types.compactMap { type in
                let assembler = Assembler(
                    cache: ImageCache(),
                    dependencies: HostDependencies(
                        clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                        report: { _ in }))
                let host = Host(try assembler.assemble(plan), reports: Reporter { _ in })
                host.dispatch(
                    AnyAction(ActionType(type)),
                    from: ActionSource(file: "", function: "", line: 0, info: nil))
                let state = try host.snapshot()
                let route = plan.route(of: TypePattern(stem: type, isOpen: false))
                let expected = ids.map { id in
                    let stop = route.stops.first { $0.instance.id == id }
                    guard let stop, plan.start(of: stop.instance) == .active else { return 5 }
                    switch stop.local {
                    case "increment": return 6
                    case "decrement": return 4
                    case "reset": return 0
                    default: return 5
                    }
                }
                let found = ids.map { state[$0]?["count"]?.intValue ?? -1 }
                return found == expected ? nil : "\(type): planned \(expected), found \(found)"
            }
        }
        #expect(disagreements == [], "seed \(seed): \(text)")
        withExtendedLifetime(folder) {}
    }

    @Test func `a host starts with exactly the instances of its plan`() async throws {
        let folder = try TemporaryFolder()
        for library in ["CounterPlugin", "ProbePlugin", "LoggerPlugin"] { try folder.copyLibrary(library) }
        let plan = Planner(trust: FileTrust(isStrict: false), baseDirectory: folder.path).plan(
            ConfigurationParser.parse(
                Array(#"{ "directory": ".", "plugins": [{ "id": "probe" }] }"#.utf8), file: "f"))
        let assembler = Assembler(
            cache: ImageCache(),
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { _ in }))
        let instances = try assembler.assemble(plan).instances
        #expect(instances.map(\.id) == plan.instances.map(\.id))
        #expect(instances.map { $0.slice.isEmpty ? nil : $0.slicePointer } == plan.instances.map(\.slice))
        #expect(instances.map(\.manifest) == plan.instances.map(\.manifest))
    }
}
