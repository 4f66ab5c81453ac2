"""The telephone: saved numbers, calls that are planned and then dialled, what is said and heard, transcripts.

A call is staged (`phone_plan`: a number, and what will be asked); dialling it is the commit. Whoever answers has a
brief (`brief.py`), understands English by rules (`hearing.py`) and speaks in turns (`desk.py`). An utterance is an
object with its speaker, its text and its time; a sound of it would be one field more, in both directions. What was
said is evidence, and so is what the other side made of it and what it wrote down because of it.
"""

from errands.world import App

phone = App("phone", __name__, scopes=("phone.read", "phone.write", "phone.dial"))

from . import calls, planning  # noqa: E402, F401  (they declare the tools)
