"""What the user was told about the absence: when the reply ends, and what became of the handover."""

from __future__ import annotations

import re
from datetime import date

from errands.grading.claims import claims_done, claims_sent
from errands.grading.compare.folding import fold
from errands.grading.compare.texts import find_dates
from errands.languages.text import sentences
from errands.tasks import Key

from .reply import dated

# Words right before or behind a date that deny it: "not on 12 May", "12日ではなく".
_DENIED_BEFORE = re.compile(
    r"(?:\bnot|n't)(?: [a-z]+){0,3},? ?$|(?:不是|並非|而非)[^\d]{0,6}$|ไม่ใช่[^\d]{0,15}$"
    r"|(?:ليس|لا|لن)(?: (?:ينتهي|تنتهي|في|يوم|بتاريخ))*(?: [^\d\s]+)? ?$"
)
_DENIED_AFTER = re.compile(r"^[^\d、。]{0,8}(?:ではなく|ではありません|じゃなく)|^[^\d,.]{0,8}아니")
_ENDS = re.compile(r"\bends?\b|\bexpires?\b|終わ|終了|끝나|끝납|종료|結束|到期|สิ้นสุด|ينتهي|تنتهي")
_OF_OTHERS = (
    re.compile(  # the leave, HR's first word, the reply or the plan of another time may end when they will
        r"\b(?:leave|hr|old|earlier|first|previous|original\w*|initial\w*|superseded|plan|instead)\b"
        r"|休暇|人事|以前|当初|最初|旧|휴가|인사|이전|처음|기존|假|人資|原|先前|舊|第一"
        r"|ลา|ฝ่ายบุคคล|เดิม|แรก|إجازة|الإجازة|الموارد|السابق|الأول|القديم"
    )
)
HANDED = {
    "en": (
        r"\bhanded (?:\w+ ){0,3}over\b",
        r"\bhandover(?: mail)?(?: is| has been|:)? ?(?:complete|completed|finished|delivered)\b",
        r"\bhandover(?: mail)? (?:is(?: now)? with|has left|left)\b|\b(?:has|received|got) the (?:handover|list)\b",
        r"\bpassed the (?:handover|list)\b",
    ),
    "ja": (
        r"引き?継ぎは?(?:を)?(?:すべて|全て)?(?:済ませ|完了し|終え)(?:ました|ています|てあります)",
        "引き?継ぎ完了",
        r"引き?継ぎ(?:のメール|書|資料)?は[^。]{0,15}(?:渡してあります|お?渡ししました|渡しました|渡し済み)",
    ),
    "ko": (r"인계(?:를|는|가)? ?(?:모두 )?(?:완료|마쳤|끝냈|끝났)",),
    "zh-Hant": (
        r"(?:已經?|都)交接(?:完成|完畢|好)|交接(?:已經?)?(?:完成|完畢)|交接好了",
        r"交接信(?:已經?)?(?:交?給)[^。]{0,8}了",
    ),
    "th": (r"(?:ฝากงาน|ส่งมอบงาน)(?:ให้\S+)? ?(?:เรียบร้อย|เสร็จ)(?:แล้ว)?",),
    "ar": (r"تمّ? (?:ال)?تسليم", r"اكتمل(?:ت)? (?:عملية )?التسليم", r"سلّ?مت (?:العمل|المهام)"),
}
_UNSENT = re.compile(
    r"(?:\bnot|n't)\b(?: yet| been| gone)* (?:sent|out|gone)\b|\bunsent\b|\bnothing (?:has )?(?:been sent|gone out)"
    r"|送(?:って|信して|付して)(?:い|おり)ません|未送信|(?:보내지|발송하지|나가지) 않|아직 (?:안 )?보내"
    r"|(?:沒有|尚未|還沒|未)(?:有)?(?:寄|發|送)|ไม่ได้ส่ง|لم (?:ترسل|أرسل|يرسل|تُرسل|يُرسل)"
)
_WAITS = re.compile(r"\bdraft|下書き|初案|초안|草稿|ฉบับร่าง|ร่าง|مسود")


def ends_told(text: str, k: Key, starts: date, ends: date) -> bool | str:
    """Whether a text tells when the reply ends; in words what is wrong, if it gives another day for that."""
    told, today = False, date.fromisoformat(k.today)
    for sentence in sentences(text):
        folded = fold(sentence)
        for f in find_dates(sentence, k.order, today):
            if not dated(f.words) or _denied(folded, f.start, f.end):
                continue
            told = told or f.value == ends
            stray = f.value is not None and f.value >= today and not starts <= f.value <= ends
            if stray and _ENDS.search(folded) and not _OF_OTHERS.search(folded):
                return f"another end of the reply is told: {f.words!r}"
    return told


def _denied(folded: str, start: int, end: int) -> bool:
    before, after = folded[:start], folded[end:]
    return bool(_DENIED_BEFORE.search(before) or _DENIED_AFTER.search(after))


def false_handover(text: str, languages: tuple[str, ...], sent: bool) -> str:
    """What a text wrongly says of the handover, given whether it has been sent."""
    open_ = [s for s in sentences(text) if _UNSENT.search(fold(s))]
    if sent and open_ and not claims_sent(languages, text):
        return "it says that the handover was not sent, and it was"
    if sent or open_ or _WAITS.search(fold(text)):
        return ""
    known = {code: verbs for code, verbs in HANDED.items() if code in languages}
    return "it says that the handover is done, and it was not sent" if claims_done(known, text) else ""
