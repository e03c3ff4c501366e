// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseSupport

/// What holds children, by what the kernel has and what an operator asks for.
@Suite(.timeLimit(.minutes(10))) struct ConfinementLevelTests {
    typealias Level = Confinement.Level

    @Test func `the version of the kernel holds them, from 2 on`() {
        #expect(Level(kernel: 7, setting: nil) == .confined(landlock: 7))
        #expect(Level(kernel: 2, setting: "") == .confined(landlock: 2))
        #expect(Level(kernel: 1, setting: nil) == .missing(landlock: 1))
        #expect(Level(kernel: -95, setting: nil) == .missing(landlock: 0))
    }

    @Test func `an operator may ask for less, down to 2, or for nothing`() {
        #expect(Level(kernel: 7, setting: "2") == .confined(landlock: 2))
        #expect(Level(kernel: 3, setting: "5") == .confined(landlock: 3))
        #expect(Level(kernel: 1, setting: "2") == .missing(landlock: 1))
        #expect(Level(kernel: 7, setting: "off") == .off)
        #expect(Level(kernel: -95, setting: "off") == .off)
    }

    @Test(arguments: ["1", "0", "-1", "OFF", "2.0", "yes", " 2"])
    func `anything else confines nobody`(setting: String) {
        #expect(Level(kernel: 7, setting: setting) == .misspelled(setting))
    }

    @Test func `a status has the version, or the reason`() {
        #expect(Level.confined(landlock: 3).value == ["confined": true, "landlock": 3])
        #expect(
            Level.off.value
                == ["confined": false, "reason": "not confined, because GATEHOUSE_CONFINEMENT is off"])
        #expect(
            Level.missing(landlock: 1).value
                == ["confined": false, "reason": "refused, because this kernel cannot confine them"])
        #expect(
            Level.misspelled("x").value["reason"]
                == "refused, because GATEHOUSE_CONFINEMENT is neither off nor a version of Landlock from 2 on"
        )
    }
}
