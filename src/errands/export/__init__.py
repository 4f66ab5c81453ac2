"""File writers for other harnesses: an attempt as they know one."""
