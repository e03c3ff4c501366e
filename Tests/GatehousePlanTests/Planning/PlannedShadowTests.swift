// SPDX-License-Identifier: Apache-2.0

import GatehouseLibraryTesting
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// What becomes of shadows beside real libraries.
@Suite(.timeLimit(.minutes(10))) struct PlannedShadowTests {
    /// The plan of a file with a journal and these entries.
    private func plan(_ entries: String, libraries: [String] = ["CounterPlugin", "LoggerPlugin"]) throws
        -> HostPlan
    {
        try PlanExample.plan(
            "{ \"directory\": \".\", \"journal\": {}, \"plugins\": [\(entries)] }", libraries: libraries)
    }

    @Test func `a shadow takes no part, and stands in for its instance in a plan of its own`() throws {
        let plan = try plan(
            #"{ "id": "counter" }, { "id": "next", "shadow": "counter", "settings": { "step": 2 } }"#)
        #expect(plan.diagnostics.all.map(\.description) == [])
        #expect(plan.instances.map(\.id) == ["counter", "logger"])
        let shadowed = try #require(plan.shadowed(by: "next"))
        #expect(shadowed.instances.map(\.id) == ["counter", "logger"])
        #expect(shadowed.instances[0].entry.settings == ["step": 2])
        #expect(shadowed.shadows.isEmpty)
        #expect(plan.shadowed(by: "counter") == nil)
    }

    @Test func `a library that only a shadow names is not discovered`() throws {
        let plan = try plan(
            #"{ "id": "counter" }, { "id": "next", "shadow": "counter", "library": "libLoggerPlugin.so" }"#)
        #expect(plan.instances.map(\.id) == ["counter"])
        #expect(plan.spares.isEmpty)
        #expect(plan.shadows.map(\.libraryText) == ["libLoggerPlugin.so (logger 1.0.0)"])
    }

    @Test func `a missing library of a shadow is a warning, and the rest runs`() throws {
        let plan = try plan(
            #"{ "id": "counter" }, { "id": "next", "shadow": "counter", "library": "libNext.so" }"#)
        #expect(plan.failure == nil)
        let told = plan.diagnostics.all.map(\.description)
        #expect(
            told.count == 1 && told[0].contains("warning: /plugins/1/library: there is no libNext.so in "),
            "\(told)")
        #expect(plan.shadowed(by: "next") == nil)
    }

    @Test func `settings that do not fit are told at the place of the shadow`() throws {
        let plan = try plan(
            #"{ "id": "counter", "lift": { "dependencies": ["moon"] } }, { "id": "next", "shadow": "counter", "settings": { "step": "a" } }"#
        )
        let told = plan.diagnostics.all.compactMap { $0.place?.pointer.description }
        #expect(told.filter { $0.hasPrefix("/plugins/1") } == ["/plugins/1/settings/step"])
    }

    @Test func `what decides about actions has no shadow`() throws {
        let plan = try plan(
            #"{ "id": "limit" }, { "id": "next", "shadow": "limit" }"#, libraries: ["LimitPlugin"])
        #expect(
            plan.shadows.map(\.libraryText) == [
                "refused: it decides about actions, which cannot be compared while another does; try it with gatehouse ctl try"
            ])
        #expect(plan.failure == nil)
    }

    @Test func `shadows start, change and stop by a reload, and otherwise go on`() throws {
        let none = try plan(#"{ "id": "counter" }"#)
        let one = try plan(
            #"{ "id": "counter" }, { "id": "next", "shadow": "counter", "settings": { "step": 2 } }"#)
        let other = try plan(
            #"{ "id": "counter" }, { "id": "next", "shadow": "counter", "settings": { "step": 3 } }"#)
        #expect(PlanDifference(from: none, to: one).lines == ["start next, a shadow of counter"])
        #expect(PlanDifference(from: one, to: other).lines == ["replace next, a shadow of counter"])
        #expect(PlanDifference(from: one, to: none).lines == ["stop next, a shadow of counter"])
        #expect(PlanDifference(from: one, to: one).isEmpty)
        #expect(!PlanDifference(from: none, to: one).isEmpty)
    }

    @Test func `a comparison goes on as long as both sides are made of the same`() throws {
        let subject = { (entries: String) in
            let plan = try self.plan(entries)
            return try #require(plan.shadows.first).subject(in: plan)
        }
        let one = try subject(#"{ "id": "counter" }, { "id": "next", "shadow": "counter" }"#)
        #expect(one != nil)
        #expect(
            one
                == (try subject(
                    #"{ "id": "logger" }, { "id": "counter" }, { "id": "next", "shadow": "counter" }"#)))
        #expect(
            one
                != (try subject(
                    #"{ "id": "counter", "settings": { "step": 2 } }, { "id": "next", "shadow": "counter", "settings": {} }"#
                )))
    }
}
