// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// What a host offers a plugin, and what a plugin finds where a host offers nothing.
@Suite(.timeLimit(.minutes(10))) struct HostServicesTests {
    @Test func `a host that offers little grants nothing, and every effect is the first attempt`() {
        let services = HostServices(
            instance: "a", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil)
        let context = PluginContext(settings: NoSettings(), services: services)
        #expect(context.instance == "a")
        #expect(context.attempt == 1)
        #expect(context.effectKey == nil)
        #expect(context.clock == nil && context.dataDirectory == nil && context.state == nil)
        #expect(context.ingress == nil && context.control == nil)
    }

    @Test func `what a host offers is what the context has`() {
        let services = HostServices(
            instance: "a", log: PluginLog { _, _ in }, clock: nil, dataDirectory: "/data",
            state: HostStateReader { pointer in .string("at \(pointer)") }
        ).hosted(effectKey: { "key" }, attempt: { 7 })
        let context = PluginContext(settings: NoSettings(), services: services)
        #expect(context.dataDirectory == "/data")
        #expect(context.effectKey == "key")
        #expect(context.attempt == 7)
        #expect(context.state?(.whole) == "at ")
    }

    @Test func `an effect with a key is the first attempt too, unless the host says otherwise`() {
        let services = HostServices(
            instance: "a", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil
        ).hosted(effectKey: { "key" })
        #expect(PluginContext(settings: NoSettings(), services: services).attempt == 1)
    }

    @Test func `an answer of the host's control comes back, and a refusal is thrown`() async throws {
        let control = HostControl { method, parameters throws(HostControl.Failure) in
            guard method == "echo" else { throw HostControl.Failure(code: 5, message: "no \(method)") }
            return parameters
        } watch: { parameters throws(HostControl.Failure) in
            guard parameters["what"] != nil else {
                throw HostControl.Failure(code: 6, message: "nothing", data: parameters)
            }
            return HostNews { nil }
        }
        #expect(try await control.request("echo", ["a": 1]) == ["a": 1])
        #expect(try await control.request("echo") == [:])
        await #expect(throws: HostControl.Failure(code: 5, message: "no news")) {
            try await control.request("news")
        }
        for try await _ in try await control.watch(["what": true]) { Issue.record("there are no news") }
        await #expect(throws: HostControl.Failure(code: 6, message: "nothing", data: [:])) {
            try await control.watch()
        }
    }

    @Test func `what the host's input takes is counted, and what it refuses is thrown`() async throws {
        let ingress = HostIngress { delivery throws(HostIngress.Failure) in
            var receipt = HostIngress.Receipt()
            #expect(receipt.lines == 0 && receipt.accepted == 0 && receipt.duplicates == 0)
            #expect(receipt.refused == 0 && receipt.refusals == [] && !receipt.isCut)
            switch delivery {
            case .action(let action):
                guard action.type == "good" else { throw .refused("\(action.type)") }
                receipt.accepted = 1
            case .lines(let bytes, let objection):
                guard !bytes.isEmpty else { throw .ended }
                receipt.lines = bytes.count
                receipt.refused = objection?("a") == nil ? 0 : 1
            }
            return receipt
        }
        #expect(try await ingress.dispatch(AnyAction("good")).accepted == 1)
        await #expect(throws: HostIngress.Failure.refused("bad")) {
            try await ingress.dispatch(AnyAction("bad"))
        }
        #expect(try await ingress.dispatch(lines: [1, 2, 3]).lines == 3)
        #expect(try await ingress.dispatch(lines: [1]) { _ in "no" }.refused == 1)
        await #expect(throws: HostIngress.Failure.ended) { try await ingress.dispatch(lines: []) }
        #expect(HostIngress.Receipt.mostRefusals == 100)
    }
}
