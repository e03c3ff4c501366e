// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Makes the filter of system calls of a child, for this machine, when the project is built.
@main struct MakeChildFilter: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tool = try context.tool(named: "child-filter").url
        let output = context.pluginWorkDirectoryURL.appending(path: "ChildFilter.swift")
        return [
            .buildCommand(
                displayName: "Making the filter of system calls of a child", executable: tool,
                arguments: [output.path], inputFiles: [tool], outputFiles: [output])
        ]
    }
}
