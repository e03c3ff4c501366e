// SPDX-License-Identifier: Apache-2.0

/// How a library was compiled: for finding mistakes or for speed.
public enum BuildConfiguration: String, CaseIterable, Hashable, Sendable {
    /// Without optimisation; the compilation condition `DEBUG` is set.
    case debug
    /// With optimisation.
    case release
}
