public enum Value: Sendable { case null }
