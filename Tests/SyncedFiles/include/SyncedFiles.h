// SPDX-License-Identifier: Apache-2.0

// Nothing is called by name: the library is preloaded, and replaces functions of the system.
