// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension Logger {
    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The shape of a line.
        var format = Format.text
        /// The level of every line; if the host writes only higher ones, the plugin does nothing at all.
        var level = PluginLog.Level.info
        /// The types to write about.
        var include = [ActionTypePattern.all]
        /// The types, among those included, to leave out.
        var exclude: [ActionTypePattern] = []
        /// Whether a line shows the payload.
        var payload = false
        /// The part of the host's state whose changes a line shows; needs the dependency `state`.
        var state = JSONPointer.whole
        /// The longest text of a payload or of one value of the state, in bytes of UTF-8.
        var maximumLength: UInt = 200
    }

    /// The shape of a line.
    enum Format: String, Codable {
        /// A sentence for people.
        case text
        /// A JSON object for programs.
        case json
    }
}
