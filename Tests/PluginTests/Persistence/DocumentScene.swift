// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import PersistencePlugin

/// The persistence plugin on a real folder; what it emits is awaited action by action.
final class DocumentScene {
    /// Where the data folder is.
    let folder: TemporaryFolder
    private let harness: PluginHarness
    private var emitted: AsyncStream<AnyAction>.Iterator

    /// What an action of the plugin is expected to be, and was.
    struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    /// An instance whose data folder is `data`, which does not exist yet.
    init(
        in folder: TemporaryFolder? = nil, settings: Value = [:], isGranted: Bool = true,
        dataDirectory: String? = nil
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        let (stream, continuation) = AsyncStream<AnyAction>.makeStream()
        let commands: Set<String> = ["save", "delete", "request", "cancel", "cancelAll"]
        harness = try PluginHarness(
            Persistence.self, settings: settings,
            dataDirectory: isGranted ? dataDirectory ?? folder("data") : nil,
            onAction: { if !commands.contains($0.type.name) { continuation.yield($0) } })
        emitted = stream.makeAsyncIterator()
    }

    /// The path of the file with its default name.
    var file: String { folder("data/documents.sqlite") }

    /// The lines the plugin wrote.
    var lines: [String] { harness.lines }

    /// Dispatches a command.
    func send(_ type: ActionType, _ payload: Value? = nil) { harness.send(type, payload) }

    /// Saves a document and waits until it is saved.
    func save(_ collection: String, _ id: String, _ value: Value) async throws {
        send("save", ["collection": .string(collection), "id": .string(id), "value": value])
        try await expect("saved", ["collection": .string(collection), "id": .string(id)])
    }

    /// The next action that the plugin emits, as JSON.
    func next() async throws -> Value? {
        try await emitted.next(isolation: #isolation)?.wireForm()
    }

    /// Waits for the next action, which is to be this one, an error if something has failed.
    func expect(
        _ type: String, _ payload: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let action = try await next()
        var expected: Value = ["type": .string(type), "payload": payload]
        if type == "failed" { expected.set(true, at: try JSONPointer("/error")) }
        #expect(action == expected, sourceLocation: sourceLocation)
    }

    /// All documents of a collection, as a request gives them; the request is cancelled.
    func documents(_ collection: String, _ others: (String, Value)...) async throws -> Value? {
        var payload = Members([("token", "once"), ("collection", .string(collection))])
        for (name, value) in others { payload[name] = value }
        send("request", .object(payload))
        let answer = try await next()
        send("cancel", ["token": "once"])
        guard answer?["type"] == "received" else {
            throw Unexpected(description: "expected received, found \(answer ?? .null)")
        }
        return answer?["payload"]?["documents"]
    }
}
