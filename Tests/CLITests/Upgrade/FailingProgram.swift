// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting

/// A program that says that it goes on for a host, and ends in one phase of that.
enum FailingProgram: String, CaseIterable {
    /// Before it has said anything.
    case atOnce
    /// While it should prepare itself.
    case preparing
    /// While the host stands still.
    case standing
    /// When it has the journal.
    case taking

    /// What becomes of it, as the rest of a sentence.
    var end: String {
        switch self {
        case .atOnce: "ended with code 2 before it was prepared"
        case .preparing: "ended with code 3 before it was prepared"
        case .standing: "ended with code 4 before it was ready"
        case .taking: "ended with code 5 before it was running"
        }
    }

    /// Writes the program into a folder; returns its path.
    ///
    /// - Parameter deed: what it does before it ends where it has the journal, in the language of the shell.
    func write(into folder: TemporaryFolder, doing deed: String = ":") throws -> String {
        let script = """
            #!/bin/bash
            fd=${GATEHOUSE_PREDECESSOR%%:*}
            # One read is one message.
            hear() { dd bs=65536 count=1 status=none <&$fd >/dev/null; }
            say() { printf '{"is":"%s"}' "$1" >&$fd; }
            [[ \(rawValue) == atOnce ]] && exit 2
            hear
            [[ \(rawValue) == preparing ]] && exit 3
            say prepared
            hear
            [[ \(rawValue) == standing ]] && exit 4
            say ready
            hear
            \(deed)
            exit 5

            """
        let path = folder("program-\(rawValue)")
        try FileSystem.write(Array(script.utf8), to: path, mode: 0o755)
        return path
    }
}
