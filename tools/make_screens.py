"""Pictures of every site, to be looked at: each kind of page, at two widths, by day and by night.

    python tools/make_screens.py [site ...]     # make screens; into build/screens/

The worlds are those of tests/web/place.py. What axe finds grave, what runs out of a page, errors of the console and
requests to elsewhere are named, and the exit code is 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402
from tests.web.place import FLAGS, SITES, Place, visiting  # noqa: E402
from tests.web.walk import SIZES, amiss, walk  # noqa: E402

from errands.doors.browser import find_browser  # noqa: E402
from errands.doors.web import Web  # noqa: E402

OUT = ROOT / "build" / "screens"


def main() -> int:
    """Take the pictures; 0 where nothing is wrong with what they show."""
    OUT.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    with Web() as web, sync_playwright() as p:
        browser = p.chromium.launch(executable_path=find_browser() or None, args=FLAGS)
        for name in sys.argv[1:] or SITES:
            for width, size in SIZES.items():
                for scheme in ("light", "dark"):
                    with visiting(web, browser, name, color_scheme=scheme) as place:
                        place.page.set_viewport_size(size)

                        def shoot(what: str, place: Place = place, tail: str = f"{width}-{scheme}") -> None:
                            file = OUT / f"{place.site}-{what}-{tail}.png"
                            place.page.screenshot(path=file, full_page=True)
                            wrong.extend(f"{file.stem}: {said}" for said in amiss(place.page))

                        walk(place, shoot)
                        wrong.extend(f"{name}: {said}" for said in place.trouble)
            print(f"{name}: {len(list(OUT.glob(f'{name}-*.png')))} pictures in {OUT.relative_to(ROOT)}")
        browser.close()
    print("\n".join(wrong) or "nothing grave, nothing out of the page, no error, no request to elsewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
