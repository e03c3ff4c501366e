// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// A host in a folder of its own whose configuration and libraries are edited.
final class EditedHost {
    /// Where it lives.
    private let scene: Scene
    /// What lies in the folder.
    private var plan: EditedPlan?
    /// The host; nil while none runs.
    private var child: ChildProcess?
    /// Asks it about its state; nil while none runs.
    private var control: LocalConnection?

    /// A host that was not started.
    init(_ plan: EditedPlan) throws {
        scene = try Scene(plan.text)
        try edit(to: plan)
    }

    /// Writes down a configuration and its libraries.
    func edit(to plan: EditedPlan) throws {
        for file in EditedPlan.targets.keys where self.plan?.libraries[file] != plan.libraries[file] {
            FileSystem.remove(scene.folder("plugins/" + file))
            if let target = plan.libraries[file] { try scene.addLibrary(target, as: file) }
        }
        try scene.folder.write(plan.text, to: "plugins.json")
        self.plan = plan
    }

    /// Starts the host, and waits until it takes lines.
    func start() throws {
        let child = try launch()
        self.child = child
        try child.waitForErrors("gatehouse: listening at in\n")
        control = try LocalConnection(scene.folder("ctl"))
    }

    /// Starts the host and kills it so many microseconds later.
    func startAndKill(after delay: UInt32) throws {
        child = try launch()
        // No event stands for a moment at which nothing is expected; hence time.
        usleep(delay)
        try kill()
    }

    /// Kills the host.
    func kill() throws {
        child?.signal(SIGKILL)
        _ = try child?.finish()
        (child, control) = (nil, nil)
    }

    /// Ends the host in order.
    func end() throws {
        child?.signal(SIGTERM)
        _ = try child?.finish()
        (child, control) = (nil, nil)
    }

    /// Sends lines and waits until each is acknowledged, and all that came of them is in the journal.
    ///
    /// - Parameter body: what happens meanwhile.
    func send(_ lines: [String], during body: () throws -> Void = {}) throws {
        let connection = try LocalConnection(scene.folder("in"))
        // A line that nobody hears is committed with all that came of the lines before it.
        let parts = [(lines, lines.count), (["{\"type\":\"nobody\"}"], lines.count + 1)]
        for (place, (lines, last)) in parts.filter({ !$0.0.isEmpty }).enumerated() {
            connection.write(lines.joined(separator: "\n") + "\n")
            if place == 0 { try body() }
            while let answer = connection.readLine() {
                if try JSONText.parse(answer)["ok"] == Value(last) { break }
            }
        }
    }

    /// Lets the host look at its configuration; gives its answer.
    func reload() throws -> Value { try ask("reload") }

    /// The whole state, in which the host says nothing of itself, and where the gates stand, in chain order.
    func state() throws -> Value {
        let state = try ask("state", ["pointer": ""])["value"] ?? .null
        let instances = try ask("status")["instances"]?.arrayValue ?? []
        return [
            "state": state,
            "instances": .array(
                instances.map { .string("\($0["id"]?.stringValue ?? ""): \($0["gate"]?.stringValue ?? "")") }),
        ]
    }

    /// What the host that runs has said by now.
    func words() throws -> String {
        try child?.takeWhatIsThere()
        return child?.errorsSoFar ?? "nothing runs"
    }

    // MARK: - Implementation details

    /// Starts the host.
    private func launch() throws -> ChildProcess {
        try ChildProcess(
            BuiltProducts.program, ["run"], in: scene.folder.path,
            environment: scene.environment, keeping: scene.folder)
    }

    /// Asks the host something.
    private func ask(_ method: String, _ parameters: Value = [:]) throws -> Value {
        let request: Value = [
            "jsonrpc": "2.0", "id": 1, "method": .string(method), "params": parameters,
        ]
        control?.write(request.json() + "\n")
        let line = try #require(control?.readLine(), "no answer to \(method)")
        let answer = try JSONText.parse(line)
        return try #require(answer["result"] ?? answer["error"], "\(line)")
    }
}
