// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// A host named `shop` with an input that stays open, and those who control it.
struct ControlledHost {
    let scene: Scene
    let process: ChildProcess

    /// Starts a host; its configuration holds these members and two counters, of which one is gated by the state.
    init(_ members: String = "", _ arguments: [String] = [], libraries: [String] = []) throws {
        try self.init(
            in: Scene(Self.configuration(members), libraries: ["CounterPlugin"] + libraries), arguments)
    }

    /// Starts a host with the configuration that a scene has.
    init(in scene: Scene, _ arguments: [String] = []) throws {
        self.scene = scene
        process = try scene.start(["--control"] + arguments)
        try process.waitForErrors(
            "gatehouse: shop can be controlled at \(scene.folder("gatehouse/shop.sock"))\n")
    }

    /// The text of the configuration.
    static func configuration(_ members: String = "", entries: String = "") -> String {
        """
        { "name": "shop", "discovery": "ignore", \(members)"state": { "features": { "us": true } },
          "plugins": [
            { "id": "eu", "library": "libCounterPlugin.so", "lift": { "state": "/orders/eu" } },
            { "id": "us", "library": "libCounterPlugin.so", "gate": { "state": "/features/us" } }\(entries) ] }
        """
    }

    /// A client of the socket itself.
    func connect() throws -> LocalConnection { try LocalConnection(scene.folder("gatehouse/shop.sock")) }

    /// What a client is answered, in order of the requests.
    func answers(to requests: String...) throws -> [String?] {
        let client = try connect()
        return requests.map { request in
            client.write(request + "\n")
            return client.readLine()
        }
    }

    /// Runs `gatehouse ctl` against this host and waits for its end.
    func ctl(_ arguments: String..., input: String = "") throws -> ChildProcess.Outcome {
        try ctl(arguments, input: input)
    }

    /// The same with the words in an array.
    func ctl(_ arguments: [String], input: String = "") throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["ctl"] + arguments, input: Array(input.utf8), in: scene.folder.path,
            environment: scene.environment)
    }

    /// The status for programs.
    func status() throws -> Value { try JSONText.parse(try ctl("status", "--json").output) }

    /// Ends the host by ending its input, and gives what it left.
    func finish() throws -> ChildProcess.Outcome {
        process.closeInput()
        return try process.finish()
    }
}
