// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// Says what a supervisor has to say on standard error, and never waits for whoever reads it: a host is started again, and signals
/// are passed on, whether somebody reads or not.
public struct SupervisorVoice {
    /// Lines that nobody has taken yet, in order.
    private var waiting: [UInt8] = []
    /// How many lines were dropped behind them.
    private var dropped = 0

    /// Where the lines go.
    private let descriptor: Int32
    /// So many bytes wait at most.
    private let limit: Int

    /// So long the last lines may take, in milliseconds.
    private static let lastWords: Int32 = 250

    /// A voice that has said nothing.
    ///
    /// - Parameters:
    ///   - descriptor: where the lines go.
    ///   - limit: how many bytes wait at most.
    public init(on descriptor: Int32, limit: Int = 64 << 10) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Whether something waits.
    public var isWaiting: Bool { !waiting.isEmpty }

    /// Says a sentence, after all that was said before; one that has no room is counted, and the count is told later.
    public mutating func tell(_ sentence: String) {
        let line = "gatehouse: \(sentence)\n".utf8
        if dropped > 0 || waiting.count + line.count > limit {
            dropped += 1
        } else {
            waiting += line
        }
        flush()
    }

    /// Writes what is taken at once.
    public mutating func flush() {
        while !waiting.isEmpty {
            let count = unsafe gatehouse_write_now(descriptor, waiting, waiting.count)
            // To nobody, nothing can be told.
            if count < 0 { waiting = [] }
            guard count > 0 else { break }
            waiting.removeFirst(count)
        }
        guard waiting.isEmpty, dropped > 0 else { return }
        let lines = dropped == 1 ? "1 line" : "\(dropped) lines"
        dropped = 0
        tell("\(lines) of the supervisor were dropped, because nobody read standard error")
    }

    /// Gives who reads a moment to take what still waits.
    public mutating func finish() {
        _ = unsafe gatehouse_write_within(descriptor, waiting, waiting.count, Self.lastWords)
        waiting = []
    }
}
