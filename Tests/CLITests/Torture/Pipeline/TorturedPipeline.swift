// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import SeededTesting
import Testing

/// A supervised host with a pipeline that is killed and reloaded again and again while four senders deliver webhooks.
final class TorturedPipeline {
    /// Where the host lives; what it writes down outlives it.
    private let scene: Scene
    /// Delivers the webhooks.
    let sender: WebhookSender
    /// How many there are.
    private let webhooks: Int
    /// The configuration as it is now.
    private var plan: PipelinePlan
    /// Starts the host again; nil before the first start.
    private var supervisor: ChildProcess?
    /// What the dead letters were at the end, each in a few words.
    private var dead: [String] = []
    /// How often there was a host to kill.
    private(set) var struck = 0

    /// A pipeline that was not started.
    init(service: String, webhooks: Int) throws {
        self.webhooks = webhooks
        scene = try Scene("{}", libraries: PipelinePlan.libraries)
        plan = PipelinePlan(socket: scene.folder("http.sock"), service: service)
        try FileSystem.write(Array((HTTPHost.secret + "\n").utf8), to: scene.folder("secret"), mode: 0o600)
        try scene.folder.write(plan.text, to: "plugins.json")
        sender = WebhookSender(to: plan.socket)
    }

    /// Starts the host, and waits until it serves.
    func start() throws {
        let child = try scene.start(["--supervise", "--control"])
        supervisor = child
        try child.waitForErrors("http: listening at ")
    }

    /// Delivers webhooks by four senders at once, until each is acknowledged.
    ///
    /// - Parameter strike: is called at some moment meanwhile.
    func deliver(
        _ numbers: Range<Int>, _ generator: inout SeededGenerator,
        strike: (inout SeededGenerator) throws -> Void
    ) throws {
        let threads = try (0..<4).map { part in
            let own = numbers.filter { $0 % 4 == part }
            return try TestWriter { [sender] in sender.deliver(own) }
        }
        // No event stands for a moment at which nothing is expected; hence time.
        usleep(UInt32.random(in: 0..<60_000, using: &generator))
        try strike(&generator)
        for thread in threads { thread.join() }
        try supervisor?.takeWhatIsThere()
    }

    /// Kills the host, as soon as there is one; its supervisor starts it again.
    func kill() {
        while supervisor?.hasEnded == false {
            if let host = supervisor?.supervisedHost, Glibc.kill(host, SIGKILL) == 0 { return struck += 1 }
            sched_yield()
        }
    }

    /// Changes the configuration, and waits until the host has taken it over, while webhooks come in.
    func reload(_ generator: inout SeededGenerator) throws {
        let child = try #require(supervisor)
        // A host that is being started would take it over without a reload.
        _ = try ask("/health")
        try child.takeWhatIsThere()
        let before = Self.reloads(child.errorsSoFar)
        plan.edit(&generator)
        try scene.folder.write(plan.text, to: "plugins.json")
        child.signal(SIGHUP)
        try child.waitForErrors { Self.reloads($0) > before }
    }

    /// How many reloads a host has told of.
    static func reloads(_ errors: String) -> Int {
        errors.split(separator: "\n").count { $0.contains("generation") && $0.contains(" runs") }
    }

    /// Asks for a page, on a connection of its own.
    private func ask(_ path: String) throws -> String {
        let connection = HTTPConnection(try LocalConnection(plan.socket))
        connection.send("GET", path)
        return try connection.receive().body
    }

    /// Waits until all orders are in a window that has closed, a minute at most.
    func waitForCounts() throws {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while ContinuousClock.now < end {
            if try ask("/state/tally/count") == "\(webhooks)\n" { return }
            // The window closes by the clock of the machine.
            usleep(50_000)
        }
        Issue.record("the sums of the windows are not complete after a minute")
    }

    /// Ends the host as an operator does.
    func end() throws -> ChildProcess.Outcome {
        let letters = try JSONText.parse(try scene.call("ctl", "dead-letters", "--json").output)
        dead = (letters["letters"]?.arrayValue ?? []).map { letter in
            "\(letter["kind"]?.stringValue ?? "") \(letter["action"]?["type"]?.stringValue ?? ""): \(letter["reason"]?.stringValue ?? "")"
        }
        let child = try #require(supervisor)
        child.signal(SIGTERM)
        return try child.finish()
    }

    /// The dead letters that were there at the end.
    func letters() throws -> [String] { dead }

    /// The numbers of the orders in the archive, in its order, and everything in it that is no order.
    func archived() throws -> (orders: [Int], others: [String]) {
        var (orders, others): ([Int], [String]) = ([], [])
        for line in try scene.folder.read("data/archive/actions.ndjson").split(separator: "\n") {
            let action = try JSONText.parse(String(line))
            if action["type"] == "orders/placed",
                let number = action["payload"]?["value"]?["number"]?.intValue
            {
                orders.append(number)
            } else {
                others.append(String(line))
            }
        }
        return (orders, others)
    }

    /// The numbers of the documents, in order.
    func documents() throws -> [Int] {
        try scene.folder.write(
            #"{ "discovery": "ignore", "plugins": [{ "id": "docs", "library": "libPersistencePlugin.so" }] }"#,
            to: "docs.json")
        let outcome = try scene.run(
            ["--config", "docs.json", "--print", "actions"],
            input: #"{"type":"docs/request","payload":{"collection":"orders"}}"#)
        let received = try #require(
            outcome.output.split(separator: "\n").first { $0.contains("docs/received") }, "\(outcome.errors)")
        let documents = try JSONText.parse(String(received))["payload"]?["documents"]?.arrayValue ?? []
        return documents.compactMap { $0["value"]?["number"]?.intValue }.sorted()
    }
}

extension ChildProcess {
    /// The process that a supervisor has started last; nil while it has none.
    var supervisedHost: Int32? {
        guard let bytes = try? FileSystem.read("/proc/\(identifier)/task/\(identifier)/children") else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").last.flatMap { Int32($0) }
    }
}
