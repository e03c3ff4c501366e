// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseTesting

@testable import PersistencePlugin

/// The persistence plugin on a real folder, heard and answered in JSON.
final class DocumentScene {
    /// Where the data folder is.
    let folder: TemporaryFolder
    /// What it has told of itself.
    let notices = Notices()
    /// Runs the plugin; what a test does not expect fails it, unless it sends several actions before it looks at the answers.
    let store: TestStore<Persistence.Action, NoState>

    /// An instance whose data folder is `data`, which does not exist yet.
    init(
        in folder: TemporaryFolder? = nil, settings: Value = [:], isGranted: Bool = true,
        dataDirectory: String? = nil
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        store = try TestStore(
            Persistence.self, settings: settings,
            services: TestServices(
                dataDirectory: isGranted ? dataDirectory ?? folder("data") : nil,
                status: PluginStatus { [notices] in notices.add($0) }))
        // The database has a thread of its own, and the disk of a busy machine takes its time.
        store.limit = .seconds(50)
    }

    /// The path of the file with its default name.
    var file: String { folder("data/documents.sqlite") }

    /// Dispatches a command to the instance.
    func send(
        _ type: String, _ payload: Value? = nil, file: String = #fileID, line: UInt = #line
    ) throws {
        let members = [("type", .string(type))] + (payload.map { [("payload", $0)] } ?? [])
        try store.send(wire: .object(Members(members)), file: file, line: line)
    }

    /// Saves a document and waits until it is saved.
    func save(
        _ collection: String, _ id: String, _ value: Value, file: String = #fileID, line: UInt = #line
    ) async throws {
        try store.send(.save(collection: collection, id: id, value: value), file: file, line: line)
        try await store.receive(.saved(collection: collection, id: id), file: file, line: line)
    }

    /// The next action that the plugin emits, as JSON.
    func next(file: String = #fileID, line: UInt = #line) async throws -> Value {
        let action = try await store.receive(where: { _ in true }, file: file, line: line)
        let (name, payload) = try action.encoded()
        return try AnyAction(ActionType(name), payload: payload, error: action.isError).wireForm()
    }

    /// Waits for the next action, which is to be this one, an error if something has failed.
    func expect(
        _ type: String, _ payload: Value, file: String = #fileID, line: UInt = #line
    ) async throws {
        var expected: Value = ["type": .string(type), "payload": payload]
        if type == "failed" { expected.set(true, at: try JSONPointer("/error")) }
        try await store.receive(wire: expected, file: file, line: line)
    }

    /// All documents of a collection, as a request gives them; the request is cancelled.
    func documents(
        _ collection: String, file: String = #fileID, line: UInt = #line
    ) async throws -> Value? {
        try store.send(
            .request(token: "once", collection: collection, prefix: nil, ids: nil), file: file, line: line)
        let answer = try await store.receive(
            where: { if case .received = $0 { true } else { false } }, file: file, line: line)
        try store.send(.cancel(token: "once"), file: file, line: line)
        return try answer.encoded().payload?["documents"]
    }
}
