"""What tables, columns and acts are called when a person reads about them."""

from __future__ import annotations

from errands.web.site import is_log

NOUNS = {
    "calendar_event": "calendar event",
    "calendar_notice": "calendar notice",
    "calendar_attendee": "attendee",
    "calendar_occurrence": "occurrence",
    "calendar_calendar": "calendar",
    "mail_message": "mail",
    "mail_draft": "draft",
    "mail_recipient": "recipient",
    "mail_file": "attachment",
    "mail_auto_reply": "automatic reply",
    "mail_recall": "recall of a mail",
    "files_entry": "file",
    "files_blob": "file content",
    "contacts_person": "contact",
    "contacts_relation": "relation of a contact",
    "memory_entry": "memory",
    "routines_routine": "routine",
    "notify_message": "notification",
    "subscriptions_plan": "subscription",
    "subscriptions_offer": "offer",
    "subscriptions_order": "order",
    "subscriptions_payment": "payment",
    "notes_note": "note",
    "connections_request": "request for access",
    "phone_plan": "planned call",
    "phone_call": "call",
    "phone_utterance": "words on the phone",
    "phone_reservation": "reservation by phone",
    "groups_message": "message to a group",
    "groups_meeting": "planned meeting",
    "shop_saved": "item saved for later",
    "shop_cart": "item in the cart",
    "shop_order": "order",
    "shop_line": "line of an order",
    "venues_quote": "quote for a venue",
    "venues_booking": "booking of a venue",
    "travel_quote": "quote for a journey",
    "travel_booking": "booking of a journey",
    "places_request": "request for a table",
    "places_reservation": "reservation of a table",
    "drawing_sheet": "drawing",
    "drawing_item": "part of a drawing",
}
LABELS = {
    "starts": "start",
    "ends": "end",
    "at": "time",
    "recipients": "to",
    "sender": "from",
    "sender_name": "from (name)",
    "sent_at": "sent",
    "exdates": "except on",
    "rrule": "repeats",
    "all_day": "all day",
    "path": "place",
    "media": "type",
    "reply_to": "in reply to",
    "original": "stands in for",
    "opened": "opened",
}
ACTS = {
    "mail.send": "sends",
    "calendar.notify": "sends",
    "files.share": "shares",
    "subscriptions.buy": "buys",
    "subscriptions.trial": "begins a trial of",
    "phone.dial": "calls",
    "groups.schedule": "schedules",
    "shop.pay": "pays for",
    "venues.book": "books",
    "travel.book": "books",
    "places.reserve": "reserves",
}
# Columns that hold a JSON list of plain values.
LISTS = frozenset({"recipients", "cc", "bcc", "labels", "exdates", "aliases"})
# Columns that only the machinery needs: shown in small print, and only where they differ.
INNER = frozenset(
    {
        "id",
        "version",
        "thread",
        "reply_to",
        "unread",
        "series",
        "original",
        "blob",
        "digest",
        "calendar",
        "event",
        "message",
        "zone",
        "opened",
        "sender_name",
        "modified",
        "author",
        "all_day",
    }
)
# Rows that follow from other rows: they would only repeat what the record itself says.
SHADOWS = frozenset({"calendar_occurrence", "mail_recipient", "files_blob", "mail_file"})


# The order in which a reader expects the columns of a record; others follow.
_FIRST = ("from", "to", "cc", "bcc", "subject", "title", "start", "end")


def place(name: str) -> int:
    """Where a column (by its label) stands among those of its record."""
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def noun(table: str) -> str:
    """A record of this table, in words."""
    return NOUNS.get(table, table.replace("_", " "))


def label(column: str) -> str:
    """A column, in words."""
    return LABELS.get(column, column.replace("_", " "))


def shadow(table: str) -> bool:
    """Whether a table says nothing that another does not say too: copies, and what visits to a site leave behind."""
    return table in SHADOWS or is_log(table)
