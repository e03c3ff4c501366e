// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// A document whose examples are run as they stand there.
struct GuidePage {
    /// What stands below one heading of the second level: it begins in an empty folder.
    struct Session: Sendable, CustomTestStringConvertible {
        /// The heading under which the blocks stand.
        let heading: String
        /// Its fenced blocks, in order.
        var blocks: [Block] = []

        var testDescription: String { heading }

        /// Whether a text stands in one of the blocks.
        func mentions(_ text: String) -> Bool {
            blocks.contains { $0.lines.contains { $0.contains(text) } }
        }
    }

    /// A fenced block of the page.
    struct Block: Sendable {
        /// What stands after the three marks: `console host`, `json plugins.json`.
        let info: String
        /// The number in the document of the line that opens it.
        let line: Int
        /// What was said before it, up to the block before that.
        let lead: String
        /// The lines between the fences.
        var lines: [String] = []

        /// The first word after the marks, which is for editors.
        var kind: Substring { info.prefix { $0 != " " } }
        /// The other words: the name of a terminal or of a file; empty when there are none.
        var name: String { String(info.drop { $0 != " " }.dropFirst()) }
    }

    /// The parts that have examples.
    let sessions: [Session]

    /// The path of a file of this repository.
    static func path(_ file: String) -> String {
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/" + file
    }

    /// The text of a file of this repository.
    static func text(_ file: String) throws -> String {
        String(decoding: try FileSystem.read(path(file)), as: UTF8.self)
    }

    /// Reads a document of this repository.
    init(_ file: String) throws {
        let text = try Self.text(file)
        var sessions = [Session(heading: "")]
        var open: Block?
        var lead = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let block = open {
                    sessions[sessions.count - 1].blocks.append(block)
                    open = nil
                    lead = ""
                } else {
                    open = Block(info: String(line.dropFirst(3)), line: index + 1, lead: lead)
                }
            } else if open != nil {
                open?.lines.append(String(line))
            } else if line.hasPrefix("## ") {
                sessions.append(Session(heading: String(line.dropFirst(3))))
                lead = ""
            } else {
                lead += line + "\n"
            }
        }
        self.sessions = sessions.filter { !$0.blocks.isEmpty }
    }
}
