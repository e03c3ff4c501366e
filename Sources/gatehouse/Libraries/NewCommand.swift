// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks

/// `gatehouse new`: creates the package of a plugin.
struct NewCommand {
    /// The parsed command line.
    let options: NewOptions

    /// Creates the package in the current folder, and prints how to use it.
    func run() -> ExitCode {
        let name: PluginName
        do { name = try PluginName(options.name) } catch { return end(error, .usage) }
        let sdk: SDKFolder
        do throws(SDKFolderError) {
            sdk = if let path = options.sdk { try SDKFolder(path: path) } else { try .ofThisHost() }
        } catch {
            return end(error, .unavailable)
        }
        var exports: [(name: String, value: String)] = []
        do {
            if let host = try PluginPackage.unlistedHost() { exports.append(("GATEHOUSE", host)) }
            if options.sdk != nil { exports.append(("GATEHOUSE_SDK", sdk.path)) }
            try PluginPackage(name, template: options.template, sdk: sdk).write()
        } catch {
            return switch error {
            case .exists: end(error, .usage)
            case .template: end(error, .unavailable)
            case .system: end(error, .internalError)
            }
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

    /// Reports why there is no package.
    private func end(_ error: some Error, _ code: ExitCode) -> ExitCode {
        StandardError.writeLine("gatehouse: \(error)")
        return code
    }
}
