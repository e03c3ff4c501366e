// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Returns the natural logarithm.
func logarithm(_ number: Double) -> Double { log(number) }

/// Returns the natural exponential.
func exponential(_ number: Double) -> Double { exp(number) }
