// SPDX-License-Identifier: Apache-2.0

private import CGatehouse

/// Returns the version text of the toolchain that compiled this module; it names the toolchain's commit.
///
/// The corresponding C macro is `__clang_version__`, the only identity a toolchain gives to the code it
/// compiles.
public func compilerIdentity() -> String { unsafe String(cString: gatehouse_compiler_identity()) }
