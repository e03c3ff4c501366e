// SPDX-License-Identifier: Apache-2.0

import CJournalBenchmark
import Glibc

/// The built host with a counter, run as an operator runs it, once for each measurement.
struct WholeHost {
    /// The path of the host.
    private let program: String
    /// The path of what it is configured by.
    private let configuration: String
    /// Where it keeps its journal; begun anew for each run.
    private let journal: String
    /// Where the files are that it reads.
    private let folder: String

    /// A host that uses a folder of its own.
    ///
    /// - Parameters:
    ///   - plugins: the folder of the bundled plugins.
    ///   - mode: the mode of its journal; nil for none.
    init(_ program: String, plugins: String, mode: String?, folder: String) {
        self.program = program
        self.folder = folder
        configuration = folder + "/plugins.json"
        journal = folder + "/journal"
        _ = unsafe mkdir(folder, 0o700)
        let kept = mode.map { #", "journal": { "directory": "journal", "mode": "\#($0)" }"# } ?? ""
        let text =
            #"{ "directory": "\#(plugins)", "discovery": "ignore", "plugins": [{ "id": "counter" }]\#(kept) }"#
        unsafe write_file(configuration, text, text.utf8.count, 1)
    }

    /// Lets it read so many lines from a file; gives the seconds that this took, without what it takes to read none.
    func run(_ count: Int, of line: [UInt8]) -> Double {
        let file = "\(folder)/\(count).ndjson"
        if unsafe access(file, F_OK) != 0 {
            let ended = line + [UInt8(ascii: "\n")]
            unsafe write_file(file, ended, ended.count, count)
        }
        let empty = seconds("/dev/null")
        return seconds(file) - empty
    }

    /// How long it takes to read a file, with start and end.
    private func seconds(_ file: String) -> Double {
        for name in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"] {
            _ = unsafe unlink("\(journal)/\(name)")
        }
        let clock = ContinuousClock()
        return clock.measure { unsafe run_host(program, configuration, file) } / .seconds(1)
    }
}
