// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

/// What the documents show of the host's services, as a plugin calls them.
struct HostServicesExamplesTests {
    /// What takes long to read.
    private struct Index {
        /// Where it was read.
        let file: String

        init(reading file: String) throws { self.file = file }
    }

    /// The context of an instance with services of a test.
    private func context(
        longWork: LongWork = LongWork(), listeners: HostListeners = HostListeners(),
        network: HostNetwork = HostNetwork()
    ) -> PluginContext<NoSettings> {
        PluginContext(
            settings: NoSettings(),
            services: HostServices(
                instance: "test", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil
            ).hosted(longWork: longWork, listeners: listeners, network: network))
    }

    @Test func `work that takes long is announced for its time, and its end too`() throws {
        let notes = Mutex<[String]>([])
        let context = context(
            longWork: LongWork { limit in
                notes.withLock { $0.append("at most \(limit)") }
                return { notes.withLock { $0.append("done") } }
            })
        let file = "words.txt"
        let index = try context.longWork(upTo: .seconds(120)) { try Index(reading: file) }
        #expect(index.file == file)
        #expect(notes.withLock { $0 } == ["at most 120.0 seconds", "done"])
    }

    @Test func `an instance that may not connect is told why, and asked for what it named`() async throws {
        let asked = Mutex("")
        let context = context(
            network: HostNetwork(isConfined: true) { host, port, limit, completion in
                asked.withLock { $0 = "\(host) \(port) within \(limit)" }
                completion(.failure(ConnectionFailure(.notGranted, "add it")))
            })
        let failure = await #expect(throws: ConnectionFailure.self) {
            let connection = try await context.network.connect(
                to: "api.example.com", port: 443, within: .seconds(10))
            #expect(connection.descriptor >= 0)
        }
        #expect(failure?.sentence == "add it")
        #expect(failure?.reason == .notGranted)
        #expect(context.network.isConfined)
        #expect(asked.withLock { $0 } == "api.example.com 443 within 10.0 seconds")
    }

    /// Answers a client.
    private func answer(_ connection: NetworkConnection) async { #expect(connection.descriptor >= 0) }

    @Test func `an instance that may not listen is told why`() async throws {
        let context = context(
            listeners: HostListeners { address throws(ListeningFailure) in
                throw ListeningFailure("\(address): another instance listens there")
            })
        let failure = await #expect(throws: ListeningFailure.self) {
            let listener = try context.listeners.listen(at: .port(host: "127.0.0.1", 8080))
            while true {
                let connection = try await listener.accept()
                await answer(connection)
            }
        }
        #expect(failure?.sentence == "127.0.0.1:8080: another instance listens there")
    }
}
