from .place import browser, place, web  # noqa: F401
