// SPDX-License-Identifier: Apache-2.0

import HostSimulation
import Testing

/// What a host keeps whatever its disk, its machine and its clock do, in lives whose coincidences follow from seeds.
/// `make simulate-host` lives more of them.
@Suite(.timeLimit(.minutes(30))) struct SimulatedLivesTests {
    /// Where the hosts have their folders.
    private let folder: SimulationFolder

    init() throws { folder = try SimulationFolder() }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever ends a host or its worker or fails it, nothing is lost, doubled, exchanged or refused`(
        part: UInt64
    ) throws {
        for seed in part * 100 + 1...part * 100 + 100 {
            for host in try folder.simulate(seed...seed) { #expect(host.faults == [], "seed \(seed)") }
        }
    }
}
