// SPDX-License-Identifier: Apache-2.0

private import CGatehouse

/// The facts that host and plugin must share before one may call the other.
///
/// The build tool writes it into both: as a constant into the SDK, and into the note of each plugin.
public struct BuildIdentity: Hashable, Sendable {
    /// The number of the C interface between host and entry.
    public let abi: UInt32
    /// The version of the SDK, for people; the fingerprint decides.
    public let sdkVersion: String
    /// The fingerprint of all that code outside of the SDK depends on, and of how it was compiled, as 64 hexadecimal digits.
    public let sdkFingerprint: String
    /// A digest of every byte of the SDK's sources, as 64 hexadecimal digits; empty if a note does not tell.
    public let sdkSources: String
    /// Whether the compiler could take into a plugin what the fingerprint leaves out, so that the digest of the sources decides too.
    public let seesBodies: Bool
    /// The toolchain's own identity, with the commit it was built from.
    public let compiler: String
    /// The target, such as `x86_64-unknown-linux-gnu`.
    public let triple: String
    /// The configuration of the build.
    public let configuration: BuildConfiguration
    /// The version of the SDK's package description, such as `6.3`; empty if a note does not tell.
    public let toolsVersion: String

    /// The number of this SDK's C interface; the C header defines it.
    public static let currentABI = UInt32(GATEHOUSE_ABI)
    /// The number of this SDK's foreign contract; the C header defines it.
    public static let currentForeignABI = UInt32(GATEHOUSE_FOREIGN_ABI)
    /// The version of this SDK; the C header defines it.
    public static let currentSDKVersion = GATEHOUSE_SDK_VERSION

    /// Combines all facts.
    public init(
        abi: UInt32, sdkVersion: String, sdkFingerprint: String, sdkSources: String, seesBodies: Bool,
        compiler: String, triple: String, configuration: BuildConfiguration, toolsVersion: String
    ) {
        self.abi = abi
        self.sdkVersion = sdkVersion
        self.sdkFingerprint = sdkFingerprint
        self.sdkSources = sdkSources
        self.seesBodies = seesBodies
        self.compiler = compiler
        self.triple = triple
        self.configuration = configuration
        self.toolsVersion = toolsVersion
    }

    /// Identifies a build of the given sources by this toolchain, for the machine it runs on.
    ///
    /// - Parameters:
    ///   - sources: the fingerprint of the SDK's sources.
    ///   - toolsVersion: the version of the SDK's package description.
    ///   - configuration: the configuration of the build.
    ///   - seesBodies: whether a build for release optimises across modules; one for debugging never does.
    public init(
        sources: SDKFingerprint, toolsVersion: String, configuration: BuildConfiguration, seesBodies: Bool
    ) {
        let compiler = compilerIdentity()
        let triple = Self.ownTriple
        self.init(
            abi: Self.currentABI, sdkVersion: Self.currentSDKVersion,
            sdkFingerprint: sources.hex(
                toolsVersion: toolsVersion, compiler: compiler, triple: triple, configuration: configuration),
            sdkSources: sources.sources, seesBodies: seesBodies && configuration == .release,
            compiler: compiler, triple: triple, configuration: configuration,
            toolsVersion: toolsVersion)
    }

    /// The target of this code.
    private static var ownTriple: String {
        #if arch(x86_64)
            let machine = "x86_64"
        #elseif arch(arm64)
            let machine = "aarch64"
        #elseif arch(riscv64)
            let machine = "riscv64"
        #elseif arch(powerpc64le)
            let machine = "powerpc64le"
        #elseif arch(s390x)
            let machine = "s390x"
        #else
            let machine = "unknown"
        #endif
        #if os(Linux) && canImport(Musl)
            return machine + "-unknown-linux-musl"
        #elseif os(Linux)
            return machine + "-unknown-linux-gnu"
        #else
            return machine + "-unknown-unknown"
        #endif
    }
}

/// The configuration of a build: for finding mistakes or for speed.
public enum BuildConfiguration: String, CaseIterable, Hashable, Sendable {
    /// Without optimisation; the compilation condition `DEBUG` is set.
    case debug
    /// With optimisation.
    case release
}
