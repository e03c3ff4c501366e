// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@Suite(.timeLimit(.minutes(10))) struct StampSourceTests {
    @Test func `the generated file holds the identity of both configurations`() {
        let source = StampSource { configuration in
            BuildIdentity(
                abi: 1, sdkVersion: "0.1.0", sdkFingerprint: configuration == .debug ? "d" : "e",
                sdkSources: "f", seesBodies: false, compiler: "a \"b\"", triple: "t",
                configuration: configuration, toolsVersion: "6.3")
        }
        #expect(
            source.text == #"""
                // Generated from the sources of the SDK. Changes are lost with the next build.

                public import GatehouseManifest

                /// The identity of the SDK that is loaded.
                public enum SDKIdentity {
                #if DEBUG
                    /// What this very library was built from, and how.
                    public static let current = BuildIdentity(
                        abi: 1,
                        sdkVersion: "0.1.0",
                        sdkFingerprint: "d",
                        sdkSources: "f",
                        seesBodies: false,
                        compiler: "a \"b\"",
                        triple: "t",
                        configuration: .debug,
                        toolsVersion: "6.3")
                #else
                    /// What this very library was built from, and how.
                    public static let current = BuildIdentity(
                        abi: 1,
                        sdkVersion: "0.1.0",
                        sdkFingerprint: "e",
                        sdkSources: "f",
                        seesBodies: false,
                        compiler: "a \"b\"",
                        triple: "t",
                        configuration: .release,
                        toolsVersion: "6.3")
                #endif
                }

                """#)
    }

    @Test func `the SDK carries the stamp of this build`() {
        let identity = SDKIdentity.current
        #expect(identity.abi == BuildIdentity.currentABI)
        #expect(identity.sdkVersion == BuildIdentity.currentSDKVersion)
        #expect(identity.sdkFingerprint.count == 64)
        #expect(identity.sdkSources.count == 64)
        #expect(identity.sdkSources != identity.sdkFingerprint)
        #expect(identity.compiler == compilerIdentity())
        #expect(identity.toolsVersion == "6.3")
        #if DEBUG
            #expect(identity.configuration == .debug)
        #else
            #expect(identity.configuration == .release)
        #endif
    }
}
