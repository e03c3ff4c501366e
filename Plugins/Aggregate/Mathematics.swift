// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The natural logarithm.
func logarithm(_ number: Double) -> Double { log(number) }

/// The natural exponential.
func exponential(_ number: Double) -> Double { exp(number) }
