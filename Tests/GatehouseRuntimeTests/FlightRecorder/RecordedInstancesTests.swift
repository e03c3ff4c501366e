// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// Which instances of several stores are the same to the flight recorder.
@Suite(.timeLimit(.minutes(10))) struct RecordedInstancesTests {
    /// A use of a plugin.
    private static func instance(
        _ id: String = "eu", plugin: String = "orders", digest: String = "aa", isInPartition: Bool = true
    ) -> RecordedInstances.Instance {
        RecordedInstances.Instance(id: id, plugin: plugin, digest: digest, isInPartition: isInPartition)
    }

    @Test(arguments: [
        instance("us"), instance(plugin: "mail"), instance(digest: "bb"), instance(isInPartition: false),
    ])
    func `another id, plugin, library or kind of store makes another instance`(
        other: RecordedInstances.Instance
    ) {
        var instances = RecordedInstances()
        #expect(instances.enter(Self.instance()) == (0, true))
        #expect(instances.enter(other) == (1, true))
        #expect(instances.enter(Self.instance()) == (0, false))
    }

    @Test func `a number is free again when the last store has left`() {
        var instances = RecordedInstances()
        let entered = [Self.instance(), Self.instance(), Self.instance("us")].map {
            instances.enter($0).number
        }
        #expect(entered == [0, 0, 1])
        #expect([0, 0, 0].map { instances.leave($0) } == [false, true, false])
        #expect(instances.enter(Self.instance("ca")) == (0, true))
    }
}
