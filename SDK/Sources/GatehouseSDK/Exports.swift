// SPDX-License-Identifier: Apache-2.0

// One import for plugin authors: the contract brings the core and the values with it.
@_exported public import Gatehouse
@_exported public import GatehouseValue
