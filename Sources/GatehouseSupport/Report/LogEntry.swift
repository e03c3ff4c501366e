// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
internal import GatehouseValue

/// One entry of the host's log.
package struct LogEntry: Sendable {
    /// The forms of an entry.
    package enum Format: String, CaseIterable, Sendable {
        /// A line for people; a list or a trace below it is indented.
        case text
        /// One JSON object on one line, for programs.
        case json
    }

    /// How important the entry is.
    package let level: PluginLog.Level
    /// What precedes the message in text, and is left out of JSON.
    private let prefix: String
    /// What happened, without a period; may have indented lines below.
    private let message: String
    /// The instance that the entry is about; nil for none, or several.
    private let instance: String?
    /// The trace and the span that the entry belongs to, in hexadecimal digits; nil for none.
    private var trace: (id: String, span: String)?

    /// Who speaks in the entries of the program itself.
    private static let speaker = "gatehouse: "

    /// Creates an entry whose text form is a message after a prefix.
    package init(_ level: PluginLog.Level, prefix: String = "", _ message: String, instance: String? = nil) {
        self.level = level
        self.prefix = prefix
        self.message = message
        self.instance = instance
    }

    /// Creates an entry in which the program itself says something; as text, a warning says that it is one.
    package static func own(_ level: PluginLog.Level, _ sentence: String) -> LogEntry {
        LogEntry(level, prefix: speaker, sentence)
    }

    /// Creates an entry in which the program itself warns, and says so in text.
    package static func warning(_ sentence: String) -> LogEntry {
        LogEntry(.warning, prefix: speaker + "warning: ", sentence)
    }

    /// Creates an entry from lines as text logs have them.
    package static func lines(_ level: PluginLog.Level, _ text: String) -> LogEntry {
        text.hasPrefix(speaker)
            ? own(level, String(text.dropFirst(speaker.count))) : LogEntry(level, text)
    }

    /// The same entry in a span of a trace, which JSON names.
    package func within(trace: String, span: String) -> LogEntry {
        var entry = self
        entry.trace = (trace, span)
        return entry
    }

    /// The entry without the line end. Escapes control characters, and line breaks that would start a line of its own, whoever
    /// wrote the message.
    package func line(as format: Format, at time: @autoclosure () -> Double = UnixTime.now) -> String {
        guard format == .json else { return Quotation.message(prefix + message) }
        var members: Members = [
            "time": .string(UnixTime.text(time())), "level": .string(level.rawValue),
            "message": .string(message),
        ]
        members["instance"] = instance.map(Value.string)
        members["trace_id"] = trace.map { .string($0.id) }
        members["span_id"] = trace.map { .string($0.span) }
        var bytes = Array(Value.object(members).json().utf8)
        Quotation.escapeControls(in: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
