-- Calendars that the owner sees. access: own (may write), read, busy (only that time is taken).
CREATE TABLE calendar_calendar (id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL,
  access TEXT NOT NULL CHECK (access IN ('own', 'read', 'busy')), zone TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- starts and ends are UTC ms of the first occurrence, ends not included. An exception of a series names it in
-- `series` and, in `original`, the start of the occurrence that it replaces.
CREATE TABLE calendar_event (id TEXT PRIMARY KEY, calendar TEXT NOT NULL REFERENCES calendar_calendar(id),
  title TEXT NOT NULL, starts INTEGER NOT NULL, ends INTEGER NOT NULL CHECK (ends > starts), zone TEXT NOT NULL,
  all_day INTEGER NOT NULL DEFAULT 0, location TEXT NOT NULL DEFAULT '', notes TEXT NOT NULL DEFAULT '',
  organizer TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'confirmed' CHECK (status IN ('confirmed', 'tentative', 'cancelled')),
  rrule TEXT NOT NULL DEFAULT '', exdates TEXT NOT NULL DEFAULT '[]', series TEXT NOT NULL DEFAULT '',
  original INTEGER, version INTEGER NOT NULL DEFAULT 1) STRICT, WITHOUT ROWID;

-- Every event's occurrences, worked out when it is written.
CREATE TABLE calendar_occurrence (event TEXT NOT NULL REFERENCES calendar_event(id) ON DELETE CASCADE,
  starts INTEGER NOT NULL, ends INTEGER NOT NULL, PRIMARY KEY (event, starts)) STRICT, WITHOUT ROWID;
CREATE INDEX calendar_occurrence_when ON calendar_occurrence(starts, event, ends);

-- E-mail addresses are lower case in every table, so that they can be compared.
CREATE TABLE calendar_attendee (event TEXT NOT NULL REFERENCES calendar_event(id) ON DELETE CASCADE,
  email TEXT NOT NULL, name TEXT NOT NULL DEFAULT '',
  response TEXT NOT NULL DEFAULT 'needs-action'
    CHECK (response IN ('needs-action', 'accepted', 'declined', 'tentative')),
  optional INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (event, email)) STRICT, WITHOUT ROWID;

-- Other people's own commitments: when, and nothing more.
CREATE TABLE calendar_busy (person TEXT NOT NULL, starts INTEGER NOT NULL, ends INTEGER NOT NULL,
  PRIMARY KEY (person, starts, ends)) STRICT, WITHOUT ROWID;

-- Messages to attendees: staged while sent_at is NULL. They outlive their event once they are sent.
CREATE TABLE calendar_notice (id TEXT PRIMARY KEY, event TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('invite', 'update', 'cancel', 'reply')), recipient TEXT NOT NULL,
  message TEXT NOT NULL DEFAULT '', sent_at INTEGER) STRICT, WITHOUT ROWID;
