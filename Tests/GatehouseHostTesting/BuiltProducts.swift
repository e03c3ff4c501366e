// SPDX-License-Identifier: Apache-2.0

/// The build products beside the test bundle: the program and the plugin libraries.
public enum BuiltProducts {
    /// The folder of the test bundle, without a slash at the end.
    public static let folder: String = {
        // Some test runners open the bundle as a library named among their arguments.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? FileSystem.ownExecutable
        return bundle.lastIndex(of: "/").map { String(bundle[..<$0]) } ?? "."
    }()

    /// The path of the `gatehouse` program.
    public static var program: String { folder + "/gatehouse" }

    /// The path of the tool that the build calls for each plugin.
    public static var manifestTool: String { folder + "/manifest-tool-tool" }

    /// The folder of the SDK that all of them were built with.
    public static var sdk: String {
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/SDK"
    }

    /// The path of a plugin's library, by the name of its target: `CounterPlugin`.
    public static func library(_ target: String) -> String { folder + "/lib\(target).so" }
}
