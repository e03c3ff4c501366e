// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A plugin that does not read what it writes: it shouts, and hears a whisper. Its state has had another form.
struct Whisper: MigratingPlugin {
    /// A text that is written in capitals and read in small letters.
    struct Word: Codable, Sendable {
        let text: String

        init(text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self).lowercased()
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text.uppercased())
        }
    }

    enum Action: PluginAction { case say(Word), said(Word) }
    struct State: Codable, Sendable { var said = 0 }

    static var stateVersion: Int { 2 }

    static func migrate(_ state: Value, from version: Int) throws -> Value { ["said": state["count"] ?? 0] }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> { .identity }

    static func middleware() -> Reader {
        .onAction { action, _, _ in
            guard case .say(let word) = action else { return .doNothing }
            return .just(.said(word))
        }
    }
}
