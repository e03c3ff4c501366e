// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// How long a host takes to judge, load, compose and leave many plugins without input, when their images are stored.
enum StartBenchmark {
    /// - Parameter builds: the folder with the host's release build.
    static func rows(_ builds: String) throws -> [Row] {
        let counts = [1, 100, 1_000]
        let folders = try counts.map { try folder(of: $0, builds) }
        var costs = [ChildProcess.Cost](repeating: .init(), count: counts.count)
        for _ in 0..<5 {
            for (index, folder) in folders.enumerated() {
                let cost = try ChildProcess.run([
                    builds + "/gatehouse", "run", "--config", folder.path + "/plugins.json", "--print",
                    "none",
                ])
                costs[index] = costs[index].least(cost)
            }
        }
        return zip(counts, costs).flatMap { count, cost in
            let name = count == 1 ? "1 library" : "\(count) libraries"
            return [
                Row("start", name, cost.wall * 1e3, "ms wall"),
                Row("start", name + ", on processors", cost.processor * 1e3, "ms CPU"),
            ]
        }
    }

    /// Copies of the counter with ids of their own, so that each is an image of its own.
    private static func folder(of count: Int, _ builds: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/plugins", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        _ = try folder.write("{}", to: "plugins.json")
        var library = try Data(contentsOf: URL(filePath: builds + "/libCounterPlugin.so"))
        guard let id = library.firstRange(of: Data(#""id":"counter""#.utf8)) else {
            throw ChildProcess.Failure(description: "libCounterPlugin.so does not say its id")
        }
        for number in 0..<count {
            // A text of the same length, so that everything in the file stays in its place.
            let digits = String(number)
            let name = "c" + String(repeating: "0", count: 6 - digits.count) + digits
            library.replaceSubrange(id, with: Data(#""id":"\#(name)""#.utf8))
            let path = folder.path + "/plugins/lib\(name).so"
            try library.write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        }
        return folder
    }
}
