// SPDX-License-Identifier: Apache-2.0

/// What a plugin's entry gives the host: everything from here on is ordinary Swift across the boundary.
open class PluginExports {
    /// For subclasses.
    @usableFromInline
    init() {}

    /// The names, among those the manifest declares, that are no case of the plugin's action type.
    ///
    /// A name that ends in `*` is a pattern and not looked at. Subclasses must override.
    open func unknownNames(in names: [String]) -> [String] {
        preconditionFailure("PluginExports.unknownNames must be overridden")
    }

    /// The parts of one instance. Subclasses must override.
    ///
    /// - Parameters:
    ///   - settings: the operator's object.
    ///   - report: told, in the drain, about actions whose payload does not decode.
    /// - Throws: `CodingFailure` when the settings do not fit.
    open func makeParts(
        settings: Value, report: @escaping (AnyAction, CodingFailure) -> Void
    ) throws(CodingFailure) -> PluginParts {
        preconditionFailure("PluginExports.makeParts must be overridden")
    }
}
