public import GatehouseManifest

extension HostPlan { public func members(of scopes: Set<PluginScope>) -> HostPlan { self } }
