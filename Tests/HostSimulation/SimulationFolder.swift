// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
package import GatehousePlan
import Glibc

/// A folder in memory, where the system has one, for the folders of simulations; removed with this object.
package final class SimulationFolder: Sendable {
    /// Where it is.
    private let path: String

    /// Makes a folder that only this user may use.
    package init() throws {
        let parent = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/gatehouse-simulation-XXXXXX".utf8CString)
        guard let made = unsafe mkdtemp(&template) else { throw SystemFailure("mkdtemp") }
        path = unsafe String(cString: made)
    }

    deinit { FileSystem.removeFolder(path) }

    /// Makes an empty folder for one simulation.
    private func make(_ name: String) throws -> String {
        let folder = path + "/" + name
        guard unsafe mkdir(folder, 0o700) == 0 else { throw SystemFailure("mkdir") }
        return folder
    }

    /// Removes the folder of a simulation that is over.
    private func remove(_ name: String) {
        FileSystem.removeFolder(path + "/" + name)
        FileSystem.remove(path + "/" + name + ".backup")
    }

    /// Lets the hosts of some seeds live, one after the other; all with one mode of the journal or one planted defect, if they are given.
    package func simulate(
        _ seeds: ClosedRange<UInt64>, _ mode: JournalMode? = nil, defect: HostSimulation.Defect? = nil
    ) throws -> [HostSimulation] {
        try seeds.map { seed in
            let name = "\(seed)"
            defer { remove(name) }
            var host = HostSimulation(seed: seed, mode: mode, defect: defect, folder: try make(name))
            host.run()
            return host
        }
    }
}
