// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// What the writer of a connection is told: how many of its lines are done with.
struct Acknowledgement {
    /// What became of the last answer.
    enum Outcome {
        /// It is on its way.
        case sent
        /// The writer does not read its answers; there is no room for more.
        case blocked
        /// The writer has gone.
        case gone
    }

    /// The lines of the last answer.
    private var told = 0
    /// The bytes of the last answer that have not been written.
    private var waiting: [UInt8] = []

    /// An acknowledgement of which nothing was said yet.
    init() {}

    /// Answers for so many lines, of which so many were not taken, unless that was said before.
    mutating func note(lines: Int, rejected: Int) {
        guard lines > told else { return }
        told = lines
        let answer = rejected > 0 ? "{\"ok\":\(lines),\"rejected\":\(rejected)}\n" : "{\"ok\":\(lines)}\n"
        waiting += Array(answer.utf8)
    }

    /// Writes what waits, without waiting itself.
    mutating func send(to descriptor: Int32) -> Outcome {
        while !waiting.isEmpty {
            let count = unsafe gatehouse_local_send(descriptor, waiting, waiting.count)
            switch count {
            case 0...: waiting.removeFirst(count)
            case -Int(EINTR): continue
            case -Int(EAGAIN): return .blocked
            default:
                waiting = []
                return .gone
            }
        }
        return .sent
    }
}
