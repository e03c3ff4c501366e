// SPDX-License-Identifier: Apache-2.0

// One import for plugin authors: the core and the values come with the contract.
@_exported public import Gatehouse
@_exported public import GatehouseValue
