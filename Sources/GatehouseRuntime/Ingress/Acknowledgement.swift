// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Answers to the writer of a connection: how many of its lines are finished.
package struct Acknowledgement {
    /// The outcome of the last answer.
    package enum Outcome {
        /// The answer is sent.
        case sent
        /// The writer does not read its answers; there is no room for more.
        case blocked
        /// The writer has closed the connection.
        case gone
    }

    /// The number of lines in the last answer.
    private var told = 0
    /// The unwritten bytes of answers.
    private var waiting: [UInt8] = []

    /// Creates an acknowledgement without answers.
    init() {}

    /// Answers for a number of lines, some of them rejected, unless already answered.
    mutating func note(lines: Int, rejected: Int) {
        guard lines > told else { return }
        told = lines
        let answer = rejected > 0 ? "{\"ok\":\(lines),\"rejected\":\(rejected)}\n" : "{\"ok\":\(lines)}\n"
        waiting += Array(answer.utf8)
    }

    /// Writes waiting answers without blocking.
    mutating func send(to descriptor: Int32) -> Outcome {
        while !waiting.isEmpty {
            let count = unsafe Glibc.send(
                descriptor, waiting, waiting.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            switch count < 0 ? errno : 0 {
            case 0: waiting.removeFirst(count)
            case EINTR: continue
            case EAGAIN: return .blocked
            default:
                waiting = []
                return .gone
            }
        }
        return .sent
    }
}
