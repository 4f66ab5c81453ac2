-- What the user's phone shows: saved numbers, planned calls, calls and what was said in them.
CREATE TABLE phone_account (
  id TEXT PRIMARY KEY, number TEXT NOT NULL, code TEXT NOT NULL, trunk TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE phone_saved (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, number TEXT NOT NULL, about TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE phone_plan (
  id TEXT PRIMARY KEY, number TEXT NOT NULL, question TEXT NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE phone_call (
  id TEXT PRIMARY KEY, plan TEXT NOT NULL, number TEXT NOT NULL, question TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE phone_utterance (
  id TEXT PRIMARY KEY, call TEXT NOT NULL REFERENCES phone_call(id), speaker TEXT NOT NULL, text TEXT NOT NULL,
  at INTEGER NOT NULL, heard INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX phone_utterance_call ON phone_utterance (call, at, id);
-- Who answers at the other end, and what they make of what they hear. No tool shows these.
CREATE TABLE phone_line (
  number TEXT PRIMARY KEY, id TEXT NOT NULL, engaged INTEGER NOT NULL, brief TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE phone_mind (
  call TEXT PRIMARY KEY, seats INTEGER, hour INTEGER, offer INTEGER, answered INTEGER NOT NULL, wants TEXT NOT NULL,
  silent INTEGER NOT NULL, lost INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE phone_understood (
  utterance TEXT PRIMARY KEY, call TEXT NOT NULL, acts TEXT NOT NULL, seats INTEGER, hours TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE phone_reservation (
  id TEXT PRIMARY KEY, call TEXT NOT NULL, number TEXT NOT NULL, seats INTEGER NOT NULL, hour INTEGER NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE phone_refusal (
  id TEXT PRIMARY KEY, call TEXT NOT NULL, number TEXT NOT NULL, seats INTEGER NOT NULL, hour INTEGER NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
