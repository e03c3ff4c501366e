// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import SeededTesting
import Testing

@testable import GatehouseRuntime

/// What follows from deaths of a worker's processes.
@Suite(.timeLimit(.minutes(10))) struct DeathCountTests {
    /// When the first process has died.
    private let start = ContinuousClock.now

    /// Five deaths within ten minutes are too many, and so are two by one action.
    private let rules = HostConfiguration().supervise

    /// A death by an action that its plugin was called with.
    private func crash(at sequence: UInt64?) -> DeathCount.Facts {
        DeathCount.Facts(isChance: false, sequence: sequence, wasInPlugin: sequence != nil)
    }

    /// A kill from outside while an action was in hand.
    private func kill(at sequence: UInt64?) -> DeathCount.Facts {
        DeathCount.Facts(isChance: true, sequence: sequence, wasInPlugin: sequence != nil)
    }

    /// What follows from deaths, one each second.
    private func consequences(
        of deaths: [DeathCount.Facts], under rules: SuperviseConfiguration? = nil
    ) -> [DeathCount.Consequence] {
        var count = DeathCount()
        return deaths.enumerated().map { second, death in
            count.note(death, at: start.advanced(by: .seconds(second)), under: rules ?? self.rules)
        }
    }

    @Test func `an action that ends two processes is left out of the third`() {
        #expect(consequences(of: [crash(at: 7), crash(at: 7)]) == [.goOn, .leaveOut(7)])
        #expect(
            consequences(of: [crash(at: 7), crash(at: 8), crash(at: 7)]) == [.goOn, .goOn, .leaveOut(7)])
    }

    @Test func `what is left out begins to count anew`() {
        #expect(
            consequences(of: [crash(at: 7), crash(at: 7), crash(at: 7)]) == [.goOn, .leaveOut(7), .goOn])
    }

    @Test func `as many deaths are allowed as the rules say`() {
        var rules = rules
        rules.deaths = 1
        #expect(consequences(of: [crash(at: 7)], under: rules) == [.leaveOut(7)])
        rules.deaths = 4
        #expect(
            consequences(of: Array(repeating: crash(at: 7), count: 4), under: rules)
                == [.goOn, .goOn, .goOn, .leaveOut(7)])
        rules.crashes = 3
        #expect(
            consequences(of: Array(repeating: crash(at: 7), count: 3), under: rules)
                == [.goOn, .goOn, .giveUp])
    }

    @Test func `five deaths within ten minutes are too many, whatever was in hand`() {
        let deaths = [crash(at: 1), crash(at: 2), crash(at: nil), crash(at: 3), crash(at: 4)]
        #expect(consequences(of: deaths) == [.goOn, .goOn, .goOn, .goOn, .giveUp])
    }

    @Test func `a death ten minutes ago does not count any more`() {
        var count = DeathCount()
        for second in [0, 1, 2, 3] {
            #expect(
                count.note(crash(at: nil), at: start.advanced(by: .seconds(second)), under: rules) == .goOn)
        }
        var other = count
        #expect(count.note(crash(at: nil), at: start.advanced(by: .seconds(600)), under: rules) == .goOn)
        #expect(
            other.note(
                crash(at: nil), at: start.advanced(by: .seconds(600) - .nanoseconds(1)), under: rules)
                == .giveUp)
    }

    @Test func `kills from outside count for nothing, unless the same action was in hand three times`() {
        #expect(
            consequences(of: Array(repeating: kill(at: nil), count: 20)).allSatisfy { $0 == .goOn })
        #expect(
            consequences(of: (0..<20).map { kill(at: $0) }).allSatisfy { $0 == .goOn })
        #expect(
            consequences(of: [kill(at: 7), kill(at: 7), kill(at: 7)]) == [.goOn, .goOn, .leaveOut(7)])
        var rules = rules
        (rules.deaths, rules.crashes) = (1, 1)
        #expect(
            consequences(of: [kill(at: 7), kill(at: 7), kill(at: 7)], under: rules)
                == [.goOn, .goOn, .giveUp])
        rules.deaths = 4
        #expect(
            consequences(of: Array(repeating: kill(at: 7), count: 4), under: rules)
                == [.goOn, .goOn, .goOn, .giveUp])
    }

    @Test func `a kill and a crash at one action count together`() {
        #expect(consequences(of: [kill(at: 7), crash(at: 7)]) == [.goOn, .leaveOut(7)])
        #expect(consequences(of: [crash(at: 7), kill(at: 7)]) == [.goOn, .goOn])
    }

    @Test func `only what nobody else explains is blamed on effects`() {
        #expect(crash(at: nil).isOfEffect)
        #expect(!crash(at: 7).isOfEffect)
        #expect(!kill(at: nil).isOfEffect)
        #expect(!DeathCount.Facts(isChance: false, sequence: nil, wasInPlugin: true).isOfEffect)
        #expect(!DeathCount.Facts(isChance: false, sequence: 7, wasInPlugin: false).isOfEffect)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func
        `no action ends more processes than the rules allow, or three where kills from outside are among those`(
            seed: UInt64
        )
    {
        var generator = SeededGenerator(seed: seed)
        var rules = rules
        (rules.deaths, rules.crashes) = (Int.random(in: 1...5, using: &generator), .max)
        var (count, tries) = (DeathCount(), [UInt64: Int]())
        for second in 0..<500 {
            let sequence = UInt64.random(in: 1...10, using: &generator)
            let facts = Bool.random(using: &generator) ? crash(at: sequence) : kill(at: sequence)
            let consequence = count.note(facts, at: start.advanced(by: .seconds(second)), under: rules)
            tries[sequence, default: 0] += 1
            #expect(tries[sequence, default: 0] <= max(rules.deaths, 3))
            if consequence == .leaveOut(sequence) {
                tries[sequence] = 0
            } else {
                #expect(consequence == .goOn)
            }
        }
    }
}
