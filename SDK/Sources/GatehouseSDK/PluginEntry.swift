@_exported public import Gatehouse
@_exported public import GatehouseValue
public enum PluginEntry {
    public static func exports(_ type: Any.Type, for host: UnsafeRawPointer?) -> UnsafeMutableRawPointer? { nil }
}
