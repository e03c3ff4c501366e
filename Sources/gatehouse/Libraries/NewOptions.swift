// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks

/// The options of `gatehouse new`.
struct NewOptions: Equatable {
    /// The name of the plugin; not validated yet.
    var name: String
    /// The code that the plugin starts with.
    var template = PluginTemplate.effect
    /// The folder of the SDK; nil for the one of this host.
    var sdk: String?

    /// The defaults for a plugin of this name.
    init(name: String) { self.name = name }

    /// Parses the arguments after `new`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.new)
        self.init(name: options.operands.first ?? "")
        template = options["--template"].flatMap(PluginTemplate.init) ?? .effect
        sdk = options["--sdk"]
    }
}
