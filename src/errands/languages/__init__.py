"""Languages: one file each, with the rules by which it is understood, spoken by the user, and judged."""

from .pack import Pack, codes, pack, packs

__all__ = ["Pack", "codes", "pack", "packs"]
