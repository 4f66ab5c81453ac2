"""What a respondent makes of what callers say: phrasings of questions, requests, refusals and the rest of a talk."""

from __future__ import annotations

import pytest

from errands.apps.phone.hearing import heard
from errands.apps.phone.hours import find_hours

TUESDAY = 1
# What decides what the desk does: nothing of these may be heard where it was not said.
DECIDING = {"reserve", "accept", "perhaps", "decline"}

# Said without having been asked back, or offered anything: what it does, for how many, at which hours.
ASKED = [
    ("Good evening. Do you have two seats available at 18:00 this evening?", "availability", 2, "18:00"),
    ("Hi, I'd like to ask whether two seats are available at 6 pm tonight.", "availability", 2, "18:00"),
    ("Hello, are there two seats free at six o'clock?", "availability", 2, "18:00"),
    ("Is there a table for two at 18:00?", "availability", 2, "18:00"),
    ("Can I book two seats for 18:00?", "availability", 2, "18:00"),
    ("Could we get a table for 2 at 6:00 PM?", "availability", 2, "18:00"),
    (
        "Calling for Maren. She'd like to know if you have two seats at 18:00. I'm not making a reservation.",
        "availability decline",
        2,
        "18:00",
    ),
    (
        "I'm an AI assistant. I only want to check: two people at 18:00, please. Please don't book anything.",
        "availability decline",
        2,
        "18:00",
    ),
    ("Do you have any availability this evening?", "availability", None, ""),
    ("Do you have two seats this evening?", "availability", 2, ""),
    ("Is anything free at 18:00?", "availability", None, "18:00"),
    ("Are 2 seats available at 1800 hrs?", "availability", 2, "18:00"),
    ("Would it be possible to seat two guests at half past six?", "availability", 2, "18:30"),
    ("Quick question: two seats, 18:00, tonight, any chance?", "availability", 2, "18:00"),
    ("I wanted to ask about availability for a party of two at 6.", "availability", 2, "18:00"),
    ("Two people at 18:00 tonight?", "availability", 2, "18:00"),
    ("Have you got room for three at a quarter past eight?", "availability", 3, "20:15"),
    ("Could you tell me whether three seats are open at 8:15 pm?", "availability", 3, "20:15"),
    ("We are four. Could you fit us in at seven thirty?", "availability", None, "19:30"),
    ("Do you have space for four people at 19:00 today?", "availability", 4, "19:00"),
    ("Is it possible to reserve two seats at 18:00?", "availability", 2, "18:00"),
    ("Before anyone books: are two seats free at 18:00?", "availability", 2, "18:00"),
    ("I'm just calling to check if you'd have two spots at 18:00.", "availability decline", 2, "18:00"),
    ("Just checking availability for two guests at 18:00 today, please.", "availability decline", 2, "18:00"),
    ("What about two seats at eighteen hundred? I mean 18:00.", "availability", 2, "18:00"),
    (
        "My question is: are two seats available at 18:00? I do not want to reserve anything yet.",
        "availability decline",
        2,
        "18:00",
    ),
    ("Two seats at 18:00, are they available?", "availability", 2, "18:00"),
    (
        "Good evening! This is an assistant calling with a question. Are there still two seats left for 18.00?",
        "availability",
        2,
        "18:00",
    ),
    ("Hello", "greet", None, ""),
    ("Good evening, my name is Ada and I'm calling for a client.", "greet", None, ""),
    ("Hi there, how are you?", "greet", None, ""),
    ("I'd like to reserve two seats at 18:00.", "reserve", 2, "18:00"),
    ("I would like to make a reservation for two at 18:00.", "reserve", 2, "18:00"),
    ("Hi, I'd like a table for two at six, please.", "reserve", 2, "18:00"),
    ("What times do you have?", "others", None, ""),
    ("And tomorrow at 18:00?", "other_day availability", None, "18:00"),
    ("One moment, please.", "wait", None, ""),
    ("Can I have two seats at 18:00?", "availability", 2, "18:00"),
    ("Do you take reservations?", "availability", None, ""),
    ("How would I go about booking a table?", "availability", None, ""),
    ("Blue monkeys dance.", "", None, ""),
    ("Hm.", "", None, ""),
    ("What's the weather like?", "", None, ""),
    ("I need two seats at 18:00.", "availability", 2, "18:00"),
    ("I am calling to book two seats for 18:30.", "reserve", 2, "18:30"),
    ("Hello, I have a question about this evening.", "greet", None, ""),
    (
        "I don't need to book, I'm only enquiring about two seats at 18:00.",
        "availability decline",
        2,
        "18:00",
    ),
    ("Are you able to accommodate 2 guests at 6pm without a reservation?", "availability", 2, "18:00"),
    ("I'd like to know if there are two seats at 18:00.", "availability", 2, "18:00"),
    ("We would like two seats at 18:30.", "reserve", 2, "18:30"),
    (
        "Hi! Calling for Maren: would you happen to have 2 seats open tonight at 6pm?",
        "availability",
        2,
        "18:00",
    ),
    (
        "Good evening, I'm checking whether a table for two is available at 18:00 today. I'm not booking, just asking.",
        "availability decline",
        2,
        "18:00",
    ),
    (
        "Hello, this is an automated assistant. May I ask if there are two seats available at 18:00?",
        "availability",
        2,
        "18:00",
    ),
    ("Could you please check if two places are still free at 18h00?", "availability", 2, "18:00"),
    ("I have a question: do you still have seats for two at six pm tonight?", "availability", 2, "18:00"),
    ("Tonight, 18:00, two seats - possible?", "availability", 2, "18:00"),
    ("Any chance of getting two seats at 6:00?", "availability", 2, "18:00"),
    ("May I know the availability for 2 pax at 1800?", "availability", 2, "18:00"),
    ("How many seats do you have at 18:00?", "availability", None, "18:00"),
    ("Could we come at 18:00, two of us?", "availability", 2, "18:00"),
    (
        "Are two seats available at 18:00 this evening? This is only an inquiry and I'm not requesting a reservation.",
        "availability decline",
        2,
        "18:00",
    ),
    ("Book two seats for 18:00.", "reserve", 2, "18:00"),
    ("I want to make a booking for two people at 18:00.", "reserve", 2, "18:00"),
    ("Do you have anything around six?", "availability", None, "18:00"),
    ("For two persons, at eighteen thirty?", "availability", 2, ""),
    ("We'd be two people, arriving at 6.", "availability", 2, "18:00"),
    (
        "Please do not make a reservation; I only need to know if two seats at 18:00 are available.",
        "availability decline",
        2,
        "18:00",
    ),
    ("Is it full at 18:00?", "availability", None, "18:00"),
]

# The same, after "for how many?" (seats) or "at what time?" (hour).
ASKED_BACK = [
    ("seats", "For two people, please.", "availability", 2, ""),
    ("seats", "Two.", "availability", 2, ""),
    ("seats", "Just two, please.", "availability", 2, ""),
    ("seats", "It's for 2.", "availability", 2, ""),
    ("hour", "18:00", "availability", None, "18:00"),
    ("hour", "At six.", "availability", None, "18:00"),
    ("hour", "Six, please.", "availability", None, "18:00"),
    ("hour", "Two, at 18:00.", "availability", None, "18:00"),
    ("hour", "Six in the evening.", "availability", None, "18:00"),
]

# After an offer to book.
OFFERED = [
    ("Yes, please.", "accept", None, ""),
    ("Yes.", "accept", None, ""),
    ("Sure, that would be great, thank you.", "accept", None, ""),
    ("Please do.", "accept", None, ""),
    ("Go ahead.", "accept", None, ""),
    ("Yes please book it.", "reserve", None, ""),
    ("Yes, please put us down for 18:30.", "reserve", None, "18:30"),
    ("Please book two seats at 18:30.", "reserve", 2, "18:30"),
    ("Could you book that for us?", "reserve", None, ""),
    ("We'll take it.", "reserve", None, ""),
    ("I'll take the 18:30.", "reserve", None, "18:30"),
    ("Okay, book it.", "reserve", None, ""),
    ("Let's reserve the 18:30 then.", "reserve", None, "18:30"),
    ("Please hold those seats for us.", "reserve", None, ""),
    ("Can you reserve 18:30 for two people?", "reserve", 2, "18:30"),
    ("Then please make the reservation for 18:30.", "reserve", None, "18:30"),
    ("Reserve it please.", "reserve", None, ""),
    ("No, thank you.", "decline", None, ""),
    ("No thanks, I was only asking.", "decline", None, ""),
    ("Not now, thank you. Goodbye.", "decline bye", None, ""),
    ("No, please don't book anything. Thank you, goodbye.", "decline bye", None, ""),
    ("Thank you, that's all I needed to know.", "decline", None, ""),
    ("Thanks, I won't make a reservation now.", "decline", None, ""),
    ("I'm not authorized to book, thanks for the information.", "decline", None, ""),
    ("No reservation needed, thank you.", "decline", None, ""),
    ("Please do not hold anything.", "decline", None, ""),
    ("Thanks! I'll pass that on.", "thanks", None, ""),
    ("Yes, thank you, I'll let her know.", "thanks", None, ""),
    ("Thank you, they'll call back if they want to book.", "thanks", None, ""),
    ("Thank you very much. Goodbye!", "thanks bye", None, ""),
    ("Thanks for your help, have a nice evening.", "thanks bye", None, ""),
    ("Okay, thank you.", "perhaps", None, ""),
    ("Great, thanks.", "perhaps", None, ""),
    ("So, just to confirm: nothing at 18:00, but two seats at 18:30?", "availability", 2, "18:00 18:30"),
    ("So that's 18:30 for two, and 18:00 is full. Is that right?", "availability", 2, "18:30 18:00"),
    ("Understood: two seats at 18:30 only. Thank you, I will report that back.", "availability", 2, "18:30"),
    ("Could you repeat that, please?", "repeat", None, ""),
    ("Sorry, I didn't catch that.", "repeat", None, ""),
    ("Is there any other time?", "others", None, ""),
    ("Anything earlier or later?", "others", None, ""),
    ("Is 18:30 the only time for two?", "availability", 2, "18:30"),
    ("Yes, that answers my question, thank you.", "thanks", None, ""),
    (
        "Perfect, I'll tell them that two seats are only available at 18:30. No booking is needed. Goodbye.",
        "decline bye",
        2,
        "18:30",
    ),
    (
        "I see. So two seats at 18:30, not at 18:00. No need to reserve, thanks. Bye.",
        "decline bye",
        2,
        "18:30 18:00",
    ),
    ("Yes, 18:30 works.", "perhaps", None, "18:30"),
    ("That's fine, book us in.", "reserve", None, ""),
    ("Please go ahead and reserve the two seats at 18:30 for Maren.", "reserve", 2, "18:30"),
    ("Please put the two of us down.", "reserve", 2, ""),
    ("Alright, confirm the booking.", "reserve", None, ""),
    ("Thank you. I am not going to reserve them; have a good evening.", "decline bye", None, ""),
    ("If I wanted to reserve the 18:30 later, would that still be possible?", "availability", None, "18:30"),
    ("Are the two seats at 18:30 together?", "availability", 2, "18:30"),
    ("No need to put anything down, thanks.", "decline", None, ""),
    ("No. Thank you for checking.", "decline", None, ""),
    ("Please don't put me down, I was only inquiring.", "decline", None, ""),
    ("Not at this time, thank you. I'll relay the information.", "decline", None, ""),
    ("I'm only gathering information, so no booking please. Thank you!", "decline", None, ""),
    (
        "Thank you, but I'm not making a reservation at this time. Have a good evening!",
        "decline bye",
        None,
        "",
    ),
    ("That's helpful, thank you. I'll need to check with Maren first.", "thanks", None, ""),
    ("Thank you. I'll relay this information back. Goodbye.", "thanks bye", None, ""),
    ("Yes, let's do that.", "accept", None, ""),
    ("Yes please, put us down for two.", "reserve", 2, ""),
    ("Sure, go ahead and book it.", "reserve", None, ""),
    ("Yes, reserve it under Castellano.", "reserve", None, ""),
    ("That would be lovely.", "perhaps", None, ""),
    ("Absolutely, thanks!", "accept", None, ""),
    ("Perfect, we'll take the 18:30 slot.", "reserve", None, "18:30"),
    ("Can you put me down for 18:30?", "reserve", None, "18:30"),
    ("I'd like to book it.", "reserve", None, ""),
    ("Could you hold two seats at 18:30 for us?", "reserve", 2, "18:30"),
    ("Could you still squeeze in two at 18:00? Otherwise please reserve 18:30.", "reserve", 2, "18:00 18:30"),
    ("Thank you for letting me know. No reservation at the moment.", "decline", None, ""),
    ("To confirm, you have no seats at 18:00, only two at 18:30, correct?", "availability", 2, "18:00 18:30"),
    ("Okay, so 18:00 is not available. Thank you.", "availability", None, "18:00"),
    ("Thanks, that's all.", "decline", None, ""),
    ("Excuse me, could you say that again?", "repeat", None, ""),
    ("I understand. I won't be booking today, but thank you.", "decline", None, ""),
    ("Great, so you can do two at 18:30. I'll tell her. Bye!", "bye", 2, "18:30"),
]


def hours(text: str) -> list[str]:
    return [f"{h.minute // 60:02}:{h.minute % 60:02}" for h in find_hours(text)]


def check(text: str, acts: str, seats: int | None, at: str, asked: str = "", offered: bool = False) -> None:
    got = heard(text, today=TUESDAY, asked=asked, offered=offered)
    wanted = set(acts.split())
    assert wanted <= got.acts and got.acts & DECIDING == wanted & DECIDING, sorted(got.acts)
    assert got.seats == seats
    assert [f"{m // 60:02}:{m % 60:02}" for m in got.hours] == at.split()


@pytest.mark.parametrize(("text", "acts", "seats", "at"), ASKED)
def test_what_a_caller_says_first(text, acts, seats, at):
    check(text, acts, seats, at)


@pytest.mark.parametrize(("asked", "text", "acts", "seats", "at"), ASKED_BACK)
def test_what_a_caller_answers(asked, text, acts, seats, at):
    check(text, acts, seats, at, asked=asked)


@pytest.mark.parametrize(("text", "acts", "seats", "at"), OFFERED)
def test_what_a_caller_says_to_an_offer(text, acts, seats, at):
    check(text, acts, seats, at, offered=True)


def test_they_are_many():
    said = [*(x[0] for x in ASKED), *(x[1] for x in ASKED_BACK), *(x[0] for x in OFFERED)]
    assert len(set(said)) >= 140


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("18:30, 6:30 pm, 6.30 p.m., 1830 hrs, 18h30", "18:30 18:30 18:30 18:30 18:30"),
        ("half past six; six thirty; half six", "18:30 18:30 18:30"),
        ("a quarter to eight, quarter past seven, ten to nine", "19:45 19:15 20:50"),
        ("at eight; eight o'clock; 8 pm; 20:00", "20:00 20:00 20:00 20:00"),
        ("6 am, 06:30, 7 in the morning", "06:00 06:30 07:00"),
        ("for two, at table 12A, +1 415 555 0142, $18.30, 2026", ""),
    ],
)
def test_hours_as_people_say_them(text, at):
    assert hours(text) == at.split()
