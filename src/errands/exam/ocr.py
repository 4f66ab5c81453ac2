"""Reading words on pictures: RapidOCR with the models of its own package, pinned by hash; nothing is downloaded.

PP-OCRv6 (detection and recognition) on ONNX Runtime. It runs on one thread, so that the same picture reads the same.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from functools import lru_cache
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errands.core.errors import UsageError

if TYPE_CHECKING:
    from PIL.Image import Image

    from errands.tasks.contract import Front

INSTALL = "pip install 'errands[ocr]'"
# The files that rapidocr 3.10 brings. Others read differently: what was measured holds for these.
MODELS = {
    "Det": ("PP-OCRv6_det_small.onnx", "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f"),
    "Cls": (
        "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
        "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
    ),
    "Rec": ("PP-OCRv6_rec_small.onnx", "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884"),
}
MAX_SIDE = 2_000  # pixels; larger pictures are made smaller
# What it is less sure of is left out. On drawn invitations, words that stood there had 0.9 and more; leaves that were
# taken for several characters 0.63 at most (for a single one more: grading sets those aside).
SURE = 0.7
Region = tuple[str, tuple[int, int, int, int]]
_one = threading.Lock()
_known: dict[tuple[tuple[int, int], bytes], list[Region]] = {}


def can_read() -> bool:
    """Whether a reader is installed; its models are looked at when it is first used."""
    return all(util.find_spec(name) for name in ("rapidocr", "onnxruntime"))


def must_read(fronts: Iterable[Front]) -> None:
    """Raise `UsageError` where one of these errands is about pictures and nothing here reads what stands on them."""
    if any(f.on_pictures for f in fronts) and not can_read():
        raise UsageError(
            "some of these errands are about pictures, and nothing here reads the words on them",
            expected="a reader, or a selection without them",
            do=INSTALL,
        )


def identity() -> dict[str, Any]:
    """What reads here: versions, and SHA-256 of each model."""
    versions = {name: metadata.version(name) for name in ("rapidocr", "onnxruntime")}
    return {"versions": versions, "models": dict(MODELS.values())}


@lru_cache(maxsize=1)
def _engine() -> Any:
    """The reader; `UsageError` where it is not installed, or its models are others."""
    if not can_read():
        raise UsageError("words on pictures cannot be read here", do=INSTALL)
    import rapidocr

    folder = Path(rapidocr.__file__).parent / "models"
    params: dict[str, Any] = {
        "Global.log_level": "error",
        "Global.max_side_len": MAX_SIDE,
        "Global.text_score": SURE,
    }
    for name in ("intra_op_num_threads", "inter_op_num_threads"):
        params[f"EngineConfig.onnxruntime.{name}"] = 1
    for part, (name, digest) in MODELS.items():
        file = folder / name
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            raise UsageError(
                f"the model {name} is missing or another one", where=str(folder), do=f"{INSTALL} --upgrade"
            )
        params[f"{part}.model_path"] = str(file)
    return rapidocr.RapidOCR(params=params)


def read(image: Image) -> list[dict[str, Any]]:
    """Regions of words on an RGB picture, from top to bottom: `text` and `box` (left, top, right, bottom, in pixels).

    `UsageError` where nothing can be read here. What was read once is known: solutions are sat many times.
    """
    pixels = image.tobytes()
    key = (image.size, hashlib.sha256(pixels).digest())
    with _one:  # the reader's methods keep state
        if key not in _known:
            if len(_known) >= 1_000:
                _known.clear()
            _known[key] = _read(image.size, pixels)
        return [{"text": text, "box": list(box)} for text, box in _known[key]]


def _read(size: tuple[int, int], pixels: bytes) -> list[Region]:
    engine = _engine()
    import numpy as np

    rgb = np.frombuffer(pixels, np.uint8).reshape(size[1], size[0], 3)
    found = engine(np.ascontiguousarray(rgb[:, :, ::-1]))
    out: list[Region] = []
    for text, corners in zip(found.txts or (), () if found.boxes is None else found.boxes, strict=True):
        xs, ys = [round(float(x)) for x, _ in corners], [round(float(y)) for _, y in corners]
        out.append((str(text), (min(xs), min(ys), max(xs), max(ys))))
    return sorted(out, key=lambda r: (r[1][1], r[1][0], r[0]))
