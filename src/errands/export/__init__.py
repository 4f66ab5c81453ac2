"""File writers for other harnesses and tools: an attempt as they know one, attempts as tables."""
