// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseSupport

/// Where the control group of a host is.
@Suite(.timeLimit(.minutes(10))) struct ControlGroupPlaceTests {
    @Test(arguments: [
        ("/service", "/service", false), ("/service/gatehouse.41", "/service", true),
        ("/b", "/b", false), ("/gatehouse.x", "/gatehouse.x", false),
        ("/gatehouse.41.1", "/gatehouse.41.1", false), ("/", "/", false),
    ])
    func `it is the group of the process, or the one above its leaf`(
        own: String, name: String, isInLeaf: Bool
    ) throws {
        let groups = try FakeControlGroups(own: own)
        if name != own { try groups.set("cgroup.controllers", of: name, to: "memory\n") }
        let place = try ControlGroupPlace(groups.files)
        #expect(place.name == name && place.isInLeaf == isInLeaf)
        #expect(place.folder == groups.folder.path + (name == "/" ? "" : name))
        #expect(place.leaf(of: 7) == place.folder + "/gatehouse.7")
        #expect(place.worker(3, of: 7) == place.folder + "/gatehouse.7.3")
    }

    @Test(
        arguments: [
            ("gatehouse.7", 7, nil), ("gatehouse.7.2", nil, 7), ("gatehouse.7.2.1", nil, nil),
            ("gatehouse.", nil, nil), ("gatehouse.0", nil, nil), ("gatehouse.-7", nil, nil),
            ("gatehouse.7.0", nil, nil), ("gatehouse.7.", nil, nil), ("gatehouse.x", nil, nil),
            ("gatehouse", nil, nil), ("other.7", nil, nil),
        ] as [(String, Int32?, Int32?)])
    func `the name of a group that a host has made tells its process`(
        name: String, leaf: Int32?, worker: Int32?
    ) {
        #expect(ControlGroupPlace.process(ofGroup: name, isLeaf: true) == leaf)
        #expect(ControlGroupPlace.process(ofGroup: name, isLeaf: false) == worker)
    }
}
