// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks

/// `gatehouse new`: creates the package of a plugin.
struct NewCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Creates the package in the current folder, and prints how to use it.
    func run() -> ExitCode {
        let name: PluginName
        do { name = try PluginName(options.operands[0]) } catch { return .usage.because("\(error)") }
        let sdk: SDKFolder
        do throws(SDKFolderError) {
            sdk = if let path = options["--sdk"] { try SDKFolder(path: path) } else { try .ofThisHost() }
        } catch {
            return .unavailable.because("\(error)")
        }
        var exports: [(name: String, value: String)] = []
        do {
            if let host = try PluginPackage.unlistedHost() { exports.append(("GATEHOUSE", host)) }
            if options.has("--sdk") { exports.append(("GATEHOUSE_SDK", sdk.path)) }
            let template = options["--template"].flatMap(PluginTemplate.init) ?? .effect
            try PluginPackage(name, template: template, sdk: sdk).write()
        } catch {
            let code: ExitCode =
                switch error {
                case .exists: .usage
                case .template: .unavailable
                case .system: .internalError
                }
            return code.because("\(error)")
        }
        Results.write(
            """
            \(name.type): the package of a plugin with the id \(name.id)

              cd \(name.type)
            \(exports.map { "  " + ShellExport.text($0.name, $0.value) + "\n" }.joined())\
              make test   build it, and run its tests and the cases of its configuration
              make run    run sample.ndjson through it

            """)
        return .success
    }
}
