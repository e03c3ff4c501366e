// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// What input lines may carry, and how long they may be.
public struct IngressConfiguration: Equatable, Sendable {
    /// The host actions that an input line may carry, all below `host/`. Other types need no permission.
    public var allow: [TypePattern]
    /// The longest accepted line in bytes, without its line feed, 1 KiB…1 GiB.
    public var maximumLineBytes: Int

    /// The range that `maximumLineBytes` may have, in bytes.
    public static let maximumLineBytesRange = 1_024...1_073_741_824

    /// Limits of the ingress; by default no host actions and 16 MiB a line.
    public init(allow: [TypePattern] = [], maximumLineBytes: Int = 16_777_216) {
        self.allow = allow
        self.maximumLineBytes = maximumLineBytes
    }
}
