// SPDX-License-Identifier: Apache-2.0

private import CLinux
package import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport

/// Writes a supervisor's messages to standard error without ever waiting for a reader: the host is restarted, and signals are
/// passed on, whether anyone reads or not.
package struct SupervisorVoice {
    /// Lines not written yet, in order.
    private var waiting: [UInt8] = []
    /// The number of lines dropped after them.
    private var dropped = 0

    /// The destination of the lines.
    private let descriptor: Int32
    /// The most waiting bytes.
    private let limit: Int
    /// The form of lines, and the lowest level that is written.
    package var style = LogConfiguration()

    /// How long the last lines may take, in milliseconds.
    private static let lastWords: Int32 = 250

    /// Creates a voice without messages.
    ///
    /// - Parameters:
    ///   - descriptor: the destination of the lines.
    ///   - limit: the most waiting bytes.
    package init(on descriptor: Int32, limit: Int = 64 << 10) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Whether lines wait.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// Writes a sentence after all earlier ones; one that has no room is counted, and the count is reported later.
    package mutating func tell(_ sentence: String, _ level: PluginLog.Level = .info) {
        guard let line = style.line(.own(level, sentence))?.utf8 else { return }
        if dropped > 0 || waiting.count + line.count > limit {
            dropped += 1
        } else {
            waiting += line
        }
        flush()
    }

    /// Writes as much as possible without waiting.
    package mutating func flush() {
        while !waiting.isEmpty {
            let count = unsafe gatehouse_write_now(descriptor, waiting, waiting.count)
            // Without a reader nothing can be reported.
            if count < 0 { waiting = [] }
            guard count > 0 else { break }
            waiting.removeFirst(count)
        }
        guard waiting.isEmpty, dropped > 0 else { return }
        let lines = dropped == 1 ? "1 line" : "\(dropped) lines"
        dropped = 0
        tell("\(lines) of the supervisor were dropped, because nobody read standard error", .warning)
    }

    /// Gives a reader a moment to take the waiting lines.
    package mutating func finish() {
        _ = unsafe gatehouse_write_within(descriptor, waiting, waiting.count, Self.lastWords)
        waiting = []
    }
}
