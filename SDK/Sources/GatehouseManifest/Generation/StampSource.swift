// SPDX-License-Identifier: Apache-2.0

/// The Swift file that the build tool adds to the SDK: its own identity.
public struct StampSource: Sendable {
    /// The text of the generated file.
    public let text: String

    /// Writes a constant for each configuration, because only the compiler knows which one it builds.
    ///
    /// - Parameter identity: returns the identity of the SDK in a configuration.
    public init(identity: (BuildConfiguration) -> BuildIdentity) {
        let conditions = BuildConfiguration.allCases.map { configuration in
            let identity = identity(configuration)
            return """
                #\(configuration == .debug ? "if DEBUG" : "else")
                    /// What this very library was built from, and how.
                    public static let current = BuildIdentity(
                        abi: \(identity.abi),
                        sdkVersion: \(SwiftLiteral.string(identity.sdkVersion)),
                        sdkFingerprint: \(SwiftLiteral.string(identity.sdkFingerprint)),
                        sdkSources: \(SwiftLiteral.string(identity.sdkSources)),
                        seesBodies: \(identity.seesBodies),
                        compiler: \(SwiftLiteral.string(identity.compiler)),
                        triple: \(SwiftLiteral.string(identity.triple)),
                        configuration: .\(configuration.rawValue),
                        toolsVersion: \(SwiftLiteral.string(identity.toolsVersion)))

                """
        }
        text = """
            // Generated from the sources of the SDK. Changes are lost with the next build.

            public import GatehouseManifest

            /// The identity of the SDK that is loaded.
            public enum SDKIdentity {
            \(conditions.joined())#endif
            }

            """
    }
}
