"""How people ask for a renter's claims of the last years: expressions for the simulated user.

Each fits a message that asks for them, in whatever order it says so; one that speaks of claims and asks for something
else (who pays them fastest, the car's, a roommate's) fits none.
"""

from __future__ import annotations

# Something is wanted, anywhere in the message: a question, a request, or what is still missing.
WANTED = (
    r"(?=.*(?:\?|\b(?:please|kindly|let me know|tell me|advise|need\w*|requir\w+|missing|lack\w*|absent|unknown"
    r"|unclear|confirm|provide|supply|waiting|await\w*|remain\w*|still|asks?|asking|wants?|to know|wonder\w*|not sure"
    r"|(?:only|one|last) (?:\w+ ){0,2}(?:thing|question|item|point|field|detail)"
    r"|(?:not|cannot|\w+n['’]t) (?:\w+ ){0,2}(?:have|know|see|find|say|mention|list|show|include|contain|give|state)"
    r"|not in (?:the|your))\b)"
    r"|\W*(?:have|has|did|do|are|were|was|is|any|how|what|when|which|may|can|could|should)\b)"
)
# In a sentence that is not about the roommates alone.
SENTENCE = r"(?:^|[.!?\n])(?![^.!?\n]*\b(?:do|does|did|have|has|had) (?:\w+ of )?(?:your|the) roommates?\b)[^.!?\n]*?"
CLAIM = (
    r"(?<!\bcar )(?<!\bauto )(?<!vehicle )(?<!collision )(?<!profile )(?<!site )\bclaim(?:s|ed)?\b"
    r"(?![- ](?:service|department|process|handling|hotline|support|satisfaction|rating|adjuster|team|app|related))"
)
OF = r"(?:(?:renters?['’]?s?|insurance|home|homeowners|property|personal|other|past|prior|previous|recent|of|or) ){0,4}"
YEARS = r"(?:last|past|previous|recent|these|since|within|over)\b[^.!?\n]{0,12}\b(?:\d+|five|three|few|ye?a?rs?)\b"
LOSS = (
    r"(?:loss(?:es)?|incidents?|thefts?|stolen|burglar(?:y|ies)|burgled|break-ins?|(?:water|fire) damage)\b"
)
MATTER = (
    rf"{CLAIM} (?:history|record|experience|information|info|details?|data|question|field|answer|part)",
    rf"\b(?:history|record|mention) of {OF}{CLAIM}",
    rf"{CLAIM} (?:on|against|under|with) (?:your |the |a |an |any )?(?:renters?|insurance|policy|insurer)",
    rf"{CLAIM}[- ]free\b",
    rf"{CLAIM}[^.!?\n]{{0,80}}\b{YEARS}",
    rf"{CLAIM} (?:last|past) \d",
    rf"\b{YEARS}[^.!?\n]{{0,80}}{CLAIM}",
    rf"\b(?:5|five)[- ]year {CLAIM}",
    rf"\b(?:any|how many|number of|what|which|prior|past|previous|earlier|recent|zero|no) {OF}{CLAIM}",
    rf"\b(?:filed|made|had|submitted|reported) (?:an?|any|some) {OF}{CLAIM}",
    rf"\bdid you (?:ever )?(?:file|make|have|submit|report) (?:an?|any|some) {OF}{CLAIM}",
    rf"{CLAIM} (?:have|did|do|had) you\b",
    rf"{CLAIM} (?:that )?you(?:['’]ve| have)? (?:had|made|filed|submitted|reported)",
    rf"\b(?:know|about|need|share|give|tell|send|provide|supply|confirm|missing|enter|say|are|were) "
    rf"(?:me )?(?:the |your |a )?{OF}{CLAIM}",
    rf"\b(?:kind|type|sort|year|date|cause|details?)\b[^.!?\n]{{0,30}}{CLAIM}",
    rf"\bwhen (?:was|were|did)\b[^.!?\n]{{0,40}}{CLAIM}",
    rf"\b{LOSS}[^.!?\n]{{0,80}}\b{YEARS}",
    rf"\b{YEARS}[^.!?\n]{{0,80}}\b{LOSS}",
    r"\bloss history\b",
)
# Only the name of the field, and nothing said of it: "Claims in the last 5 years".
BARE = (
    r"^\W*(?:(?:your|the|renters|insurance|number|of|any|past|prior)\W+)*claims?\b"
    r"(?![^.!:=]*\b(?:no|none|zero|entered|left)\b)[^.!:=]{0,80}$"
)

ASKED = (rf"(?s)^{WANTED}.*?{SENTENCE}(?:{'|'.join(MATTER)})", BARE)
