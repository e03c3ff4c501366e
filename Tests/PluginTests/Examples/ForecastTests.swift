// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseSDK
import GatehouseTesting
import Testing

/// A plugin whose service is replaced, and the same with its own.
@Suite(.timeLimit(.minutes(10))) struct ForecastTests {
    @Test func `the degrees of a city are answered`() async throws {
        let weather = Forecast.Weather { city in city == "Oslo" ? -4 : 21 }
        let store = TestStore(initialState: NoState(), middleware: Forecast.answers.inject(weather))
        try store.send(.ask(city: "Oslo"))
        try await store.receive(.answered(city: "Oslo", degrees: -4))
        try await store.finish()
    }

    @Test func `a service that throws is an action`() async throws {
        let weather = Forecast.Weather { _ in throw CancellationError() }
        let store = TestStore(initialState: NoState(), middleware: Forecast.answers.inject(weather))
        try store.send(.ask(city: "Oslo"))
        try await store.receive(.failed(reason: "CancellationError()"))
        try await store.finish()
    }

    @Test func `the plugin itself reads the stations`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "forecast-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("-4\n".utf8).write(to: folder.appending(path: "Oslo"))
        let store = try TestStore(Forecast.self, settings: ["folder": .string(folder.path)])
        try store.send(.ask(city: "Oslo"))
        try await store.receive(.answered(city: "Oslo", degrees: -4))
        try await store.finish()
    }
}
