// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import PersistencePlugin

@Suite(.timeLimit(.minutes(10))) struct DatabaseClosingTests {
    /// Notes what it is called with.
    private final class Recorder: MiddlewareProtocol {
        private(set) var calls: [String] = []

        func handle(
            action: Persistence.Action, from dispatcher: ActionSource, state: GetState<NoState>
        ) -> IO<Persistence.Action> {
            calls.append("handle")
            return .pure()
        }

        func start(state: GetState<NoState>) -> IO<Persistence.Action> {
            calls.append("start")
            return .pure()
        }

        func stopping(state: GetState<NoState>) -> IO<Persistence.Action> {
            calls.append("stopping")
            return .pure()
        }

        func stopEffects() { calls.append("stop") }
        func gateChanged(to gate: GateState) { calls.append("\(gate)") }
        func cancelEffects() { calls.append("cancel") }
    }

    @Test func `the middleware beside it is told everything, and the file is closed after its effects`()
        async throws
    {
        let folder = try TemporaryFolder()
        let database = DocumentDatabase(
            file: DatabaseFile(folder: folder("data"), settings: Persistence.Settings()), instance: "test")
        _ = await database.perform([.save(Document(collection: "c", id: "a", value: 1))])
        let recorder = Recorder()
        let middleware = recorder <> DatabaseClosing(database: database)
        let state = GetState { NoState() }
        _ = middleware.start(state: state)
        _ = middleware.handle(action: .cancelAll, from: .here(), state: state)
        middleware.gateChanged(to: .bypass)
        _ = middleware.stopping(state: state)
        middleware.stopEffects()
        #expect(try !FileSystem.read(folder("data/documents.sqlite-wal")).isEmpty)
        middleware.cancelEffects()
        #expect(recorder.calls == ["start", "handle", "bypass", "stopping", "stop", "cancel"])
        #expect(throws: SystemFailure.self) { try FileSystem.read(folder("data/documents.sqlite-wal")) }
    }
}
