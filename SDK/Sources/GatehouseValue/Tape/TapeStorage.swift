// SPDX-License-Identifier: Apache-2.0

/// The one allocation of a tape: header, words, and behind them the byte area with all texts.
///
/// Filled by `Tape.copying` before anybody else sees it and never written afterwards.
@usableFromInline
final class TapeStorage: ManagedBuffer<TapeHeader, UInt64> {}
