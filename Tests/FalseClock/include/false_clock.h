// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a program, it sets the program's time of day ahead or back by the seconds in the file that FALSE_CLOCK names,
// which it reads each time. Nothing is called here; the file exists because a target needs a header.
