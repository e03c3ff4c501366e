// SPDX-License-Identifier: Apache-2.0

/// The one allocation of a tape: header, words, and then the byte area with all texts.
///
/// Written only while nobody else sees it.
@usableFromInline
final class TapeStorage: ManagedBuffer<TapeHeader, UInt64> {}
