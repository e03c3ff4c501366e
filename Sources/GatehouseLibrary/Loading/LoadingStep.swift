// SPDX-License-Identifier: Apache-2.0

/// A step from an accepted library to instances that could be started, or to their end; at each, code of the plugin runs.
package enum LoadingStep: String, Sendable, Codable {
    /// The loader maps the library and runs its initialisers.
    case load
    /// The entry returns the plugin's exports.
    case entry
    /// The names that the manifest declares are compared with the cases of the plugin's action type.
    case names
    /// Settings are decoded; middlewares, reducer and interceptor are made for one instance.
    case parts
    /// The first state of one instance is written as JSON and read again.
    case state
    /// The state that one instance had in another image, or in another run, is migrated and decoded.
    case handover
    /// The instances are released, as at the end of a run.
    case end
}
